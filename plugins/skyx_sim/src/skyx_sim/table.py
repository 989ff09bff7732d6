"""What errors of the clouds ``sim``, ``sim2`` and ``sim3`` mean in a launch: as in the cloud that each imitates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.api import RuleTable
from skyx_sim.rules import installed_tables

if TYPE_CHECKING:
    from skyx_sim.cloud import SimCloud


def table_of(cloud: SimCloud) -> RuleTable:
    """The scenario's own rules, then the installed ones of the cloud that it imitates, then the simulator's."""
    tables = installed_tables()
    return RuleTable.joined([RuleTable(rules=cloud.own_rules), *tables(cloud.rules), *tables("sim")])
