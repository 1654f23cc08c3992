"""What is said of a request that is not obeyed at once."""

from typing import Optional, Sequence

from surefoot_bridge.state import Mode, Request

_DOING = {
    Mode.PASSIVE: "is passive",
    Mode.STAND: "stands",
    Mode.WALK: "walks",
    Mode.SIT: "sits",
    Mode.DAMPED: "is damped",
    Mode.STOP: "stops walking",
    Mode.CROUCH: "stops walking",
}
_REMEDY = {
    Mode.PASSIVE: "Ask it to stand first.",
    Mode.SIT: "Ask it to stand first.",
    Mode.DAMPED: "Release it first.",
}


def answer_to(
    request: Request, mode: Mode, *, refused: bool, waits: bool, stops: Sequence[str], moves: bool
) -> Optional[str]:
    """Return one line for a person; None for a request that is obeyed at once.

    Args:
        request: What was asked for.
        mode: The mode in which it was.
        refused: Whether it was refused.
        waits: Whether it is obeyed when what goes on has ended.
        stops: Rules of safety that are against it.
        moves: Whether a motion goes on.
    """
    name = request.name.lower()
    if refused:
        if stops:
            return f"{name} is refused: {', '.join(stops)}."
        if request == Request.WALK and mode == Mode.STAND and moves:
            return f"{name} is refused: the robot is still standing up. Ask again when it stands."
        return f"{name} is refused: the robot {_DOING[mode]}. {_REMEDY.get(mode, '')}".rstrip()
    if waits and request == Request.RELEASE:
        return f"{name} waits: the robot {_DOING[mode]}; it becomes limp when it has sunk down."
    if waits and request != Request.STAND:  # to stand is what every stop ends with
        return f"{name} waits: the robot {_DOING[mode]}; it comes to rest step by step first."
    return None
