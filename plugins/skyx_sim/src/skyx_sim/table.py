"""What errors of the clouds ``sim``, ``sim2`` and ``sim3`` mean in a launch.

A driver's rules belong to its class, but which cloud one of these imitates is in its scenario. So the table is put
together when a first error is classified: the rules of this cloud in the scenario that ``SKYX_SIM_SCENARIO`` names;
where the scenario is in the settings instead, every table that is installed, one after the other.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field  # noqa: TID253 - reached only when such a cloud is used

from skyx_core.api import RuleTable, SkyxError
from skyx_sim.settings import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skyx_sim.cloud import SimCloud

_FIELDS = frozenset(RuleTable.model_fields)


class ScenarioTable(RuleTable):
    """Like any table, but made at the first look into it."""

    cloud: str
    made: dict[str, tuple[RuleTable, ...]] = Field(default_factory=dict, repr=False)  # by the scenario's path

    def __getattribute__(self, name: str) -> object:
        if name not in _FIELDS:
            return super().__getattribute__(name)
        made: dict[str, tuple[RuleTable, ...]] = super().__getattribute__("__dict__")["made"]
        path = os.environ.get(VARIABLE, "")
        if path not in made:
            made[path] = tuple(_tables(self.cloud, path))
        return tuple(item for table in made[path] for item in getattr(table, name))


def _tables(name: str, path: str) -> Iterator[RuleTable]:
    from skyx_sim.rules import installed_tables
    from skyx_sim.styles import STYLES

    cloud = _described(name, path)
    if cloud is not None:
        yield RuleTable(rules=cloud.own_rules)
    tables = installed_tables()
    for style in STYLES if cloud is None else (cloud.rules, "sim"):
        yield from tables(style)


def _described(name: str, path: str) -> SimCloud | None:
    from skyx_sim.running import load_scenario

    if not path:
        return None
    try:
        clouds = load_scenario(Path(path).expanduser()).clouds
    except SkyxError:  # told by the driver
        return None
    return next((cloud for cloud in clouds if cloud.name == name), None)
