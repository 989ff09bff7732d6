"""Settings: flag > ``SKYX_*`` > ``./.skyx.yaml`` > user file > system file > default; each value knows its origin."""

from __future__ import annotations

from skyx_core.settings.settings import SYSTEM_FILE, Settings
from skyx_core.settings.table import TABLE, Setting

__all__ = ["SYSTEM_FILE", "TABLE", "Setting", "Settings"]
