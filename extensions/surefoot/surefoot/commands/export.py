"""``surefoot export``: turn a run, a checkpoint or a policy that came with the package into a bundle for the robot."""

from __future__ import annotations

import argparse
import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli import as_called
from surefoot.engines import full_name, short_name
from surefoot.files import NEW_FILE, check_replaceable
from surefoot_bridge.arguments import FILE, OUTPUT_FOLDER
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import read_plain

if TYPE_CHECKING:
    from surefoot.exporting.export_policy import Exported
    from surefoot.playing.run_files import TrainedPolicy

KEY_BYTES = 32
"""Length of a private key of ed25519 [bytes]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot export``."""
    parser.epilog = (
        "A bundle is a folder: the policy as TorchScript, ONNX and plain arrays, its contract, a golden trace recorded "
        "in the engine, and a manifest with the hash of each. It is loaded and replayed before it is put in place. "
        "Exit status: 0 written, 2 refused."
    )
    parser.add_argument(
        "run",
        nargs="?",
        metavar="RUN|CHECKPOINT|wandb:RUN",
        help="run directory, a checkpoint in it, wandb:ENTITY/PROJECT/RUN, or wandb:FOLDER of a run recorded offline",
    )
    parser.add_argument("--pretrained", metavar="TASK", help="export the policy that came with the package")
    parser.add_argument("-o", "--output", type=OUTPUT_FOLDER, required=True, metavar="DIR", help="folder of the bundle")
    parser.add_argument("--replace", action="store_true", help="replace another bundle, or a signed one, that is there")
    parser.add_argument(
        "--engine", "--physics", type=full_name, metavar="E", help="engine of the golden trace (default: as trained)"
    )
    parser.add_argument("--device", metavar="D", help="cpu, cuda or cuda:N (default: cuda:0 where there is one)")
    parser.add_argument("--sign", type=FILE, metavar="FILE", help="sign with the private key in this file")
    parser.add_argument("--json", type=NEW_FILE, metavar="FILE", help="write figures and provenance")


def run(args: argparse.Namespace) -> int:
    """Export as asked.

    Returns:
        0.

    Raises:
        SurefootError: If an argument is wrong, or the policy cannot be exported.
    """
    from surefoot.engines import check_device, check_physics, default_device
    from surefoot.learning.checkpoint import check_form
    from surefoot.report import provenance, write_report

    key = None if args.sign is None else read_private_key(args.sign)
    with _found(args) as trained:
        check_form(trained.checkpoint)
        _check_place(args.output, trained, replace=args.replace)
        device = check_device(args.device or default_device())
        physics = check_physics(args.engine or trained.settings.physics, device)
        name = (
            trained.checkpoint
            if args.pretrained or not _is_wandb(args.run)
            else f"{args.run}, {trained.checkpoint.name}"
        )
        print(f"Exporting {name}: {trained.settings.task}, recorded in {short_name(physics)} on {device}", flush=True)
        from surefoot.exporting.export_policy import export_policy

        exported = export_policy(trained, args.output, physics=physics, device=device, private_key=key)
    _report(exported, args.output, signed=key is not None)
    if args.json is not None:
        figures = {
            f"parity_{name}_{file}": item.largest[file]
            for name, item in exported.parity.items()
            for file in item.largest
        }
        write_report(args.json, ok=True, figures=figures, provenance=provenance(seed=1, engine=physics, device=device))
    return 0


def _check_place(folder: Path, trained: TrainedPolicy, *, replace: bool) -> None:
    """Refuse to replace what is no bundle, and unasked one of another robot or task, or one that somebody signed."""
    from surefoot_bridge.bundle.manifest import MANIFEST_FILE, SIGNATURE_FILE

    settings = trained.settings

    def holds() -> str:
        try:
            contract = json.loads((folder / "contract.json").read_bytes())
            found = f"a bundle of {contract['robot']['name']} for {contract['training']['task']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "a bundle that cannot be read"
        return f"{found}, signed" if (folder / SIGNATURE_FILE).exists() else found

    ours = f"a bundle of {settings.robot} for {settings.task}"
    check_replaceable(folder, kind="bundle", marks=(MANIFEST_FILE,), ours=ours, holds=None if replace else holds)


@contextmanager
def _found(args: argparse.Namespace) -> Iterator[TrainedPolicy]:
    """Find the policy; one of W&B is there for as long as the block lasts."""
    from surefoot.playing.run_files import find_policy, find_pretrained

    if (args.run is None) == (args.pretrained is None):
        raise SurefootError(
            "Name what to export: either a RUN or CHECKPOINT, or --pretrained TASK. See: surefoot tasks list"
        )
    if args.pretrained is not None:
        yield find_pretrained(args.pretrained)
    elif _is_wandb(args.run):
        from surefoot.exporting.wandb_run import fetched

        with fetched(args.run) as run:
            yield find_policy(run)
    else:
        yield find_policy(args.run)


def _is_wandb(run: str) -> bool:
    return run.startswith("wandb:")


def read_private_key(path: Path) -> str:
    """Return the private key in a file, 32 bytes in base64.

    Raises:
        SurefootError: If the file cannot be read, or holds something else.
    """
    data = read_plain(path, "private key", largest_bytes=1 << 12).strip()
    try:
        valid = len(base64.b64decode(data, validate=True)) == KEY_BYTES
    except ValueError:
        valid = False
    if not valid:
        raise SurefootError(
            f"{path} holds no private key, which is {KEY_BYTES} bytes in base64. Make one: surefoot-bridge key new FILE"
        )
    return data.decode()


def _report(exported: Exported, folder: Path, *, signed: bool) -> None:
    bundle = exported.bundle
    print(f"{'form of the policy':20s} {'off on the golden trace':>24s} {'on random input':>16s}")
    for file, off in exported.parity["golden"].largest.items():
        print(f"{file:20s} {off:24.1e} {exported.parity['random'].largest[file]:16.1e}")
    print(
        f"Golden trace replayed by the bridge: observation off by {bundle.deviations.observation:.1e}, action by "
        f"{bundle.deviations.action:.1e}, joint command by {bundle.deviations.joint_command:.1e}; the "
        f"robot was pushed over on purpose and lay at step {exported.fell_at}: a trace holds a fall as well."
    )
    print(f"Wrote {folder}, bundle {bundle.identity}, {'signed' if signed else 'not signed'}.")
    print(as_called(f"Next: surefoot verify {folder}"))
