"""Who commands a robot, as ``--operator`` names it, and who watches."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Literal, Optional, Sequence, Tuple

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.robots import Robot
from surefoot_bridge.stages import Stage, largest_of
from surefoot_bridge.words import OPERATORS

from .combined import CombinedOperator
from .operator import Operator
from .script import ScriptOperator, read_script

_AFTER_S = 1.0  # of a script without end: how long the robot stays where its last motion has brought it


@dataclass(frozen=True)
class OperatorChoice:
    """Who commands.

    Attributes:
        kind: ``keyboard``, ``joystick``, ``remote`` (the robot's own) or ``script``.
        path: The joystick's device or the script; None for the keyboard, or the first joystick.
    """

    kind: Literal["keyboard", "joystick", "remote", "script"]
    path: Optional[Path] = None

    def help(self, robot: Optional[Robot] = None) -> str:
        """Return what a person must know to command the robot; empty for a script.

        Args:
            robot: The robot whose remote commands; needed for that only.
        """
        if self.kind == "script":
            return ""
        if self.kind == "joystick":
            from .joystick import HELP
        elif self.kind == "remote":
            from .remote import help_of, remote_of_robot

            return help_of(remote_of_robot(robot)[0])
        else:
            from .keyboard import HELP
        return HELP


@dataclass(frozen=True)
class Command:
    """An operator that is open.

    Attributes:
        operator: All who command, watch and stop as one.
        duration_s: Time after which its run ends in order [s].
    """

    operator: Operator
    duration_s: float


def parse_operator(text: str) -> OperatorChoice:
    """Return what ``--operator`` says.

    Raises:
        SurefootError: If it is none.
    """
    kind, colon, path = text.partition(":")
    if text == "keyboard":
        return OperatorChoice("keyboard")
    if text == "remote":
        return OperatorChoice("remote")
    if kind == "joystick" and bool(colon) == bool(path):
        return OperatorChoice("joystick", Path(path) if path else None)
    if kind == "script" and path:
        return OperatorChoice("script", Path(path))
    raise unknown_name("operator", text, OPERATORS)


def check_operator(choice: OperatorChoice, contract: Contract, stage: Stage) -> None:
    """Refuse a script or a joystick that cannot command, before anybody is asked to confirm anything.

    Raises:
        SurefootError: If it cannot be read or opened, or takes longer than the stage allows.
    """
    if choice.kind == "joystick":
        from .joystick import require_joystick

        require_joystick(choice.path)
    elif choice.kind == "script":
        _script(choice, contract, stage)


def open_operator(
    choice: OperatorChoice,
    contract: Contract,
    stage: Stage,
    *,
    time_s: float,
    watched: bool,
    stops: Sequence[Callable[[float], bool]] = (),
    robot: Optional[Robot] = None,
) -> Command:
    """Open keyboard, joystick, remote or script.

    Args:
        choice: Who commands.
        contract: The contract. A script without an end is given time for its motions to stand and sit.
        stage: The stage, which bounds commands and duration.
        time_s: The control loop's clock now [s].
        watched: Whether a person must be at the keyboard while a script commands: for a real robot.
        stops: Further reasons to stop.
        robot: The robot whose remote commands; needed for that only.

    Raises:
        SurefootError: If it cannot be opened.
    """
    names, largest = contract.command.names, largest_of(stage.command_ranges(contract))
    watchers: List[Operator] = []
    duration_s = stage.duration_s
    if choice.kind == "keyboard":
        leader: Operator = _keyboard(names, largest, time_s)
    elif choice.kind == "joystick":
        from .joystick import JoystickOperator

        leader = JoystickOperator(names, largest, time_s=time_s, device=choice.path)
    elif choice.kind == "remote":
        from .remote import RemoteOperator, remote_of_robot

        leader = RemoteOperator(*remote_of_robot(robot), names, largest, time_s=time_s)
    else:
        leader, duration_s = _script(choice, contract, stage)
        if watched:
            watchers.append(_keyboard(names, largest, time_s))
    return Command(CombinedOperator(leader, watchers=watchers, stops=stops), duration_s)


def _script(choice: OperatorChoice, contract: Contract, stage: Stage) -> Tuple[ScriptOperator, float]:
    """Return a script, and when its run ends [s]."""
    if choice.path is None:
        raise SurefootError("A script needs a file: --operator script:FILE.")
    names, held = contract.command.names, contract.handling
    script = ScriptOperator(read_script(choice.path, names), len(names))
    end_s = script.last_s + max(held.stand_s, held.sit_s) + _AFTER_S if script.end_s is None else script.end_s
    if end_s > stage.duration_s:
        raise SurefootError(
            f"The script {choice.path} takes {end_s:g} s; the stage {stage.name} allows {stage.duration_s:g} s. "
            "Shorten it, or run it in a later stage."
        )
    return script, end_s


def _keyboard(names: Sequence[str], largest: Sequence[float], time_s: float) -> Operator:
    from .keyboard import KeyboardOperator

    return KeyboardOperator(names, largest, time_s=time_s)
