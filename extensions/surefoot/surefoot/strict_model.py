"""What files of users are read into: models that refuse unknown keys, with mistakes found by pydantic."""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Part of a file: unknown keys are refused, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
