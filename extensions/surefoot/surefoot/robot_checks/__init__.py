"""Checks that a robot's model is sound and means the same in every physics engine."""
