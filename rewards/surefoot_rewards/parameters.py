"""Values of terms' parameters that would make NaN of finite input; a parameter's name means the same in all terms."""

from __future__ import annotations

from collections.abc import Mapping


def check_parameters(term: str, parameters: Mapping[str, float]) -> None:
    """Refuse parameters of a term that would divide by zero.

    Raises:
        ValueError: Naming the parameter, its value and what it may be.
    """
    for name, value in parameters.items():
        if name in _POSITIVE and not value > 0.0:
            raise ValueError(f"{name} must be positive, got {value}: it is {_POSITIVE[name]}.")
        if name == "soft_ratio" and not 0.0 <= value < 1.0:
            raise ValueError(f"soft_ratio must be in [0, 1), got {value}: it is a share of a limit.")
    if term in _TARGETS and not parameters["target_m"] > 0.0:
        raise ValueError(f"target_m must be positive, got {parameters['target_m']}: it is {_TARGETS[term]}.")
    if "lowest_std" in parameters and parameters["lowest_std"] > parameters["highest_std"]:
        raise ValueError(
            f"lowest_std must be at most highest_std, got {parameters['lowest_std']} and {parameters['highest_std']}."
        )


_POSITIVE = {
    "std": "the error at which the reward has fallen to 1/e",
    "std_s": "the time difference at which the reward has fallen to 1/e",
    "lowest_std": "the least tolerance",
    "highest_std": "the largest tolerance",
    "tilt_std": "the sine of the tilt at which the reward has fallen to 1/e",
    "height_std_m": "the error of the height at which the reward has fallen to 1/e",
    "pose_std_rad": "the deviation of the joints at which the reward has fallen to 1/e",
    "rest_std_rad_s": "the speed of the joints at which the reward has fallen to 1/e",
}
"""What each of them is."""

_TARGETS = {
    "foot_clearance_swing_peak": "the height that a swing should reach",
    "risen": "the height at which the robot stands",
}
"""Terms that divide by their target, and what it is."""
