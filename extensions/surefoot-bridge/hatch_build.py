"""Puts the compiled core into a wheel where there is a C compiler; without one the wheel is as good on any machine."""

import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags


class CoreHook(BuildHookInterface):
    """Compiles the core. What is installed in place compiles it at its first use, whenever its source has changed."""

    def initialize(self, version: str, build_data: Dict[str, Any]) -> None:
        """Compile it for this machine, whatever the Python."""
        if version == "editable":
            return
        build = runpy.run_path(str(Path(self.root, "src", "surefoot_bridge", "core", "build.py")))
        self._folder = tempfile.TemporaryDirectory(prefix="surefoot_core_")
        library = Path(self._folder.name, build["library_name"]())
        reason = build["compile_core"](library)
        if reason:
            print(f"The bridge's core was not compiled: {reason}. NumPy does its work.", file=sys.stderr)
            return
        build_data["force_include"][str(library)] = f"surefoot_bridge/core/{library.name}"
        build_data["pure_python"] = False
        platform = next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
        build_data["tag"] = f"py3-none-{platform}"

    def finalize(self, version: str, build_data: Dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was compiled."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
