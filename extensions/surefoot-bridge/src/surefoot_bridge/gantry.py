"""Which robots come to rest by themselves, and which need a gantry for it."""

from .contract import Contract

_NEED_GANTRY = ("unitree_g1",)
"""A humanoid on its own feet is balanced by its policy alone: its ankles are softer than its weight (40 N m/rad each,
where 33 kg with the centre of mass at 0.7 m ask for 227), so no pose without a policy keeps it up."""


def rests_without_gantry(contract: Contract) -> bool:
    """Return whether a contract's robot stands, sits and lies by poses alone, without policy and gantry."""
    return contract.robot.name not in _NEED_GANTRY
