"""Ground to walk on: height grids, the one source of a terrain, and what each engine makes of them."""

from pathlib import Path

FLAT_GROUND_USD = Path(__file__).with_name("flat_ground.usda")
"""An endless collision plane at z = 0. Its friction and restitution of 1 multiply the foot's own, so that the robot's
side alone decides what a contact has: the ground is shared by all environments, the robot is not."""
