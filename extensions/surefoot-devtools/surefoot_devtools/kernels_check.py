"""Prove without a GPU that every Warp kernel compiles for each GPU generation."""

import argparse
import importlib
import importlib.util
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from surefoot.report import provenance, write_report
from surefoot_bridge.errors import SurefootError

PACKAGES = ("surefoot", "surefoot_robots", "surefoot_rewards", "surefoot_tasks")

# Compute capabilities of A100, of L40S and RTX 4090, of H100, and of B200.
ARCHITECTURES = (80, 89, 90, 100)

_DECORATOR = re.compile(r"^\s*@(?:wp|warp)\.kernel\b", re.MULTILINE)


class CompileFailure(NamedTuple):
    """A module's kernels that did not compile for one architecture."""

    module: str
    kernels: tuple[str, ...]
    arch: int
    reason: str


def kernel_modules(packages: Iterable[str] = PACKAGES) -> dict[str, int]:
    """Find the modules that define kernels by reading their source; none is imported.

    Args:
        packages: Import names of the packages to search.

    Returns:
        Mapping from module name to the number of kernels that its source declares.

    Raises:
        SurefootError: A package is not installed.
    """
    found = {}
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise SurefootError(f"Package {package!r} is not installed. Run `make bootstrap`.")
        root = Path(spec.submodule_search_locations[0])
        for path in sorted(root.rglob("*.py")):
            if count := len(_DECORATOR.findall(path.read_text(encoding="utf-8"))):
                parts = path.relative_to(root.parent).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = count
    return found


def compile_kernels(name: str, declared: int, architectures: Iterable[int] = ARCHITECTURES) -> list[CompileFailure]:
    """Compile the kernels of one module to machine code for each architecture.

    Args:
        name: Import name of the module.
        declared: How many kernels its source declares; each has to be found at module scope.
        architectures: Compute capabilities, major times ten plus minor.

    Returns:
        What failed; empty when everything compiled.

    Raises:
        SurefootError: The module defines a kernel where it cannot be found, inside a function.
    """
    import warp as wp

    kernels = [value for value in vars(importlib.import_module(name)).values() if isinstance(value, wp.Kernel)]
    own = [kernel for kernel in kernels if kernel.func.__module__ == name]
    if len(own) != declared:
        raise SurefootError(
            f"{name} declares {declared} kernels but holds {len(own)} at module scope "
            f"({', '.join(kernel.key for kernel in own) or 'none'}). Move the others out of their functions."
        )
    failures = []
    warp_modules = {id(kernel.module): kernel.module for kernel in own}
    for warp_module in warp_modules.values():
        keys = tuple(kernel.key for kernel in own if kernel.module is warp_module)
        for arch in architectures:
            try:
                _compile(warp_module, arch)
            except Exception as error:  # Warp raises bare Exceptions for what a kernel's author did wrong.
                failures.append(CompileFailure(name, keys, arch, str(error)))
    return failures


def _compile(warp_module: object, arch: int) -> None:
    import warp as wp

    with tempfile.TemporaryDirectory(prefix="surefoot-kernels-") as folder:
        artifacts = wp.compile_aot_module(warp_module, arch=arch, module_dir=folder, use_ptx=False)  # pyright: ignore[reportArgumentType]
        if not any(path.suffix == ".cubin" and path.stat().st_size for path in artifacts):
            raise SurefootError(f"the compiler left no machine code, only {[path.name for path in artifacts]}")


def main(argv: Sequence[str] | None = None) -> int:
    """Compile every kernel of ours for every architecture and print what came of it.

    Returns:
        0 when all compiled, 1 when some did not, 2 when it could not be tried.
    """
    parser = argparse.ArgumentParser(prog="python -m surefoot_devtools.kernels_check", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there")
    arguments = parser.parse_args(argv)
    try:
        return _check(arguments.json)
    except SurefootError as error:
        print(f"kernels_check: {error}", file=sys.stderr)
        return 2


def _check(report: Path | None) -> int:
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    start = time.perf_counter()
    modules = kernel_modules()
    failures = [failure for name, declared in modules.items() for failure in compile_kernels(name, declared)]
    for failure in failures:
        print(f"FAILED {failure.module} ({', '.join(failure.kernels)}) for sm_{failure.arch}: {failure.reason}")
    seconds = time.perf_counter() - start
    kernels = sum(modules.values())
    print(
        f"{kernels} kernels in {len(modules)} modules, for {', '.join(f'sm_{arch}' for arch in ARCHITECTURES)}: "
        f"{f'{len(failures)} failures' if failures else 'all compile'} ({seconds:.0f} s)"
    )
    if report is not None:
        write_report(
            report,
            ok=not failures,
            figures={
                "kernels": kernels,
                "modules": len(modules),
                "architectures": len(ARCHITECTURES),
                "failures": len(failures),
                "seconds": round(seconds, 1),
            },
            rows=[failure._asdict() for failure in failures],
            provenance=provenance(),
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
