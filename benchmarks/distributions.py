"""Folders of made-up installed distributions, for growth with what is installed."""

from __future__ import annotations

import os
import time
from pathlib import Path


def padded(folder: Path, count: int) -> str:
    """A folder for PYTHONPATH with ``count`` distributions that offer console scripts, as most do."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name = f"padding_{number:05}"
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: click>=8\n")
        (info / "entry_points.txt").write_text(f"[console_scripts]\n{name} = {name}:main\n")
    settled = time.time() - 60  # as if installed a minute ago: skyx keeps no index of what changes this moment
    os.utime(folder, (settled, settled))
    return str(folder)
