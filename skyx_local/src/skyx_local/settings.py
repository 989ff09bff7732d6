"""Settings under ``clouds.local``."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator  # noqa: TID253 - reached only when the local cloud is used


class DeclaredGpus(BaseModel):
    """GPUs that are there, or that are to be taken as there."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="as in task files, like H100")
    count: int = Field(ge=0, le=1024)


class LocalSettings(BaseModel):
    """What of this machine clusters may reserve; unset: all that there is."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    cpus: float | None = Field(default=None, gt=0, le=1e6, description="cores")
    memory_gb: float | None = Field(default=None, gt=0, le=1e7, description="GiB")
    gpus: DeclaredGpus | None = Field(default=None, description="unset: those that nvidia-smi lists")
    root: Path | None = Field(default=None, description="folder of the nodes; unset: in skyx's own data folder")

    @field_validator("root")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        path = value.expanduser() if value is not None else None
        if path is not None and not path.is_absolute():
            raise ValueError("must be an absolute path, or begin with ~/")
        return path
