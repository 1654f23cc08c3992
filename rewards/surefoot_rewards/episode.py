"""Being alive, and ceasing to be."""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import warp as wp

from surefoot_rewards.kernel import one_if


@wp.func
def alive(terminated: bool) -> float:
    """Reward each step that does not end in a failure.

    Equation: ``1 - [terminated]``.
    Units: dimensionless, 0 or 1.
    Zero: in the step of a failure; running out of time is none.
    Source: Isaac Lab, term ``is_alive``.

    Args:
        terminated: Whether the episode ends in a failure.
    """
    return one_if(not terminated)


@wp.func
def termination(terminated: bool) -> float:
    """Penalise the step that ends in a failure.

    Equation: ``[terminated]``.
    Units: dimensionless, 0 or 1.
    Zero: in each step but that of a failure; running out of time is none.
    Source: Isaac Lab, term ``is_terminated``.

    Args:
        terminated: Whether the episode ends in a failure.
    """
    return one_if(terminated)
