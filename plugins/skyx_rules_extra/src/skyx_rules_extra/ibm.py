"""Error rules: ibm."""

from __future__ import annotations

from skyx_core.api import RuleTable

TABLE = RuleTable()
