"""Settings under ``clouds.sim``, ``clouds.sim2`` and ``clouds.sim3``."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field  # noqa: TID253 - reached only when such a cloud is used

from skyx_core.api import DriverContext, Model

VARIABLE = "SKYX_SIM_SCENARIO"


class SimSettings(Model):
    """``speed``: instead of the scenario's, how much faster than the clock of this machine time goes."""

    scenario: Path | None = Field(default=None, description=f"a scenario's file; without it, the variable {VARIABLE}")
    speed: float | None = Field(default=None, gt=0, le=1e6)


def scenario_path(settings: SimSettings, context: DriverContext) -> Path | None:
    """The file that is set, if any."""
    if settings.scenario is not None:
        return settings.scenario.expanduser()
    text = context.environ.get(VARIABLE, "")
    return Path(text).expanduser() if text else None


def set_by(settings: SimSettings, cloud: str) -> str:
    """What says where the file is."""
    return VARIABLE if settings.scenario is None else f"the setting clouds.{cloud}.scenario"
