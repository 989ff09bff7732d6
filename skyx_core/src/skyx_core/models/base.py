"""What all models share."""

from pydantic import BaseModel, ConfigDict  # noqa: TID253 - models are pydantic


class Model(BaseModel):
    """Frozen, compared by value, refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants", defer_build=True)
