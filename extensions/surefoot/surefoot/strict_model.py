"""What files of users are read into: models that refuse unknown keys, with mistakes found by pydantic."""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Part of a file: unknown keys are refused, and nothing changes once it is read."""

    # Docstrings of fields are their descriptions in the published schema.
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)
