"""The picture of the architecture is drawn from the contracts, and current."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_committed_picture_is_current() -> None:
    script = ROOT / "scripts" / "architecture_picture.py"
    result = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, timeout=30, check=False
    )
    assert result.returncode == 0, result.stderr


def test_it_shows_every_layer() -> None:
    words = {node.text for node in ET.parse(ROOT / "docs" / "architecture.svg").iter() if node.text}
    assert {"cli", "session", "cluster", "state", "failover", "api", "models", "skyx_agent", "skyx_local"} <= words
