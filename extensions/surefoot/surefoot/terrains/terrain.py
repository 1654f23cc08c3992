"""What ground is: one class, for scenarios and for whoever else lays ground out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from surefoot.strict_model import StrictModel


class Terrain(StrictModel):
    """Ground under a scenario; the robot starts at the origin, facing x."""

    kind: Literal["flat", "rough", "slope", "stairs"] = "flat"
    direction: Literal["up", "down"] = "up"
    """Of slope and stairs."""
    grade_deg: float = Field(default=15.0, ge=0.0, le=45.0)
    """Of a slope."""
    step_height_m: float = Field(default=0.15, gt=0.0, le=0.5)
    """Of stairs."""
    step_depth_m: float = Field(default=0.3, ge=0.1, le=2.0)
    """Of stairs."""
    roughness_m: float = Field(default=0.04, gt=0.0, le=0.3)
    """Of rough ground: largest height above and below the mean."""
    seed: int = Field(default=0, ge=0)
    """Of rough ground."""
