"""The committed reference pages say what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_reference_is_current() -> None:
    script = ROOT / "scripts" / "gen_reference.py"
    result = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, f"{result.stdout}{result.stderr}run: python scripts/gen_reference.py"


def test_every_command_has_its_place() -> None:
    from skyx_core.cli.tree import TABLE

    text = (ROOT / "docs" / "reference" / "cli.md").read_text()
    for name in TABLE:
        assert f"## skyx {name}\n" in text
