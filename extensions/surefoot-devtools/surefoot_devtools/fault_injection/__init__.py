"""Faults that are put into robot, policy, operator and clock, and what the robot must do about each."""

from .catalogue import FAULTS, LIVE_FAULTS, Fault, fault_of

__all__ = ["FAULTS", "LIVE_FAULTS", "Fault", "fault_of"]
