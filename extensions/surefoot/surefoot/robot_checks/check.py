"""The whole check of a robot: the model by itself, then in every engine, then the engines against each other."""

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from surefoot.engines import check_physics, short_name
from surefoot.processes import module_command
from surefoot.robot_checks.model_checks import check_model, check_readback
from surefoot.robot_checks.motion_checks import REFERENCE, check_agreement, check_motion
from surefoot.robot_checks.mujoco_engine import MujocoEngine
from surefoot.robot_checks.recording import EngineRecord
from surefoot.robot_checks.referee import Referee
from surefoot.robot_checks.row import CheckRow
from surefoot.robot_checks.scenarios import record
from surefoot_bridge.errors import SurefootError
from surefoot_robots import RobotSpec

CheckedEngine = Literal["mujoco", "ovphysx", "newton_mjwarp", "isaacsim_physx"]

ENGINES: tuple[CheckedEngine, ...] = get_args(CheckedEngine)
DEFAULT_ENGINES: tuple[CheckedEngine, ...] = ("mujoco", "ovphysx", "newton_mjwarp")

_TIMEOUT_S = 1800.0
_LOG_TAIL_LINES = 15


def check_robot(
    spec: RobotSpec,
    engines: Sequence[CheckedEngine] = DEFAULT_ENGINES,
    *,
    device: str = "cpu",
    progress: Callable[[str], None] = lambda _: None,
) -> list[CheckRow]:
    """Check a robot.

    Args:
        spec: The robot.
        engines: Engines to check it in. MuJoCo C runs in any case, as the reference of the others.
        device: Device of the engines that Isaac Lab drives.
        progress: Called with a line before each engine starts.

    Returns:
        One row for each check and engine.

    Raises:
        SurefootError: If an engine is not installed or fails to run the scenarios.
    """
    for engine in engines:
        if engine != REFERENCE:
            check_physics(engine, device)
    referee = Referee(spec)
    truth = referee.engine.read_model()
    progress(f"{spec.name}: model and {REFERENCE}")
    reference = record(MujocoEngine(spec), spec)
    rows = check_model(spec, referee)
    for engine in engines:
        if engine == REFERENCE:
            recording = reference
        else:
            progress(f"{spec.name}: {short_name(engine)} on {device}")
            recording = _record_in_process(spec, engine, device)
        rows += check_readback(spec, engine, recording.model, truth)
        rows += check_motion(spec, engine, recording, referee)
        if engine != REFERENCE:
            rows += check_agreement(spec, engine, recording, reference, referee)
    return rows


def _record_in_process(spec: RobotSpec, engine: str, device: str) -> EngineRecord:
    name = short_name(engine)
    with tempfile.TemporaryDirectory(prefix="surefoot-check-") as folder:
        path = Path(folder) / "recording.npz"
        command = module_command("surefoot.robot_checks.worker", spec.name, engine, device, str(path))
        try:
            result = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise SurefootError(f"{name} did not finish {spec.name}'s scenarios in {_TIMEOUT_S:.0f} s.") from error
        if result.returncode != 0 or not path.is_file():
            tail = "\n".join(result.stdout.splitlines()[-_LOG_TAIL_LINES:])
            raise SurefootError(
                f"{name} failed on {spec.name}'s scenarios with exit code {result.returncode}. Its last lines:\n{tail}"
            )
        return EngineRecord.load(path)
