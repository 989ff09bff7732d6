"""How this very program is started again: from a zip file or from the package's folder."""

from __future__ import annotations

import os
import sys


def command(*arguments: str) -> list[str]:
    """argv of a lean interpreter (no site packages, no PYTHON* variables) running this program."""
    return [sys.executable, "-S", "-E", program(), *arguments]


def program() -> str:
    """The zip file that we came in, or the folder of the package."""
    package = os.path.dirname(os.path.abspath(__file__))
    archive = os.path.dirname(package)
    return archive if os.path.isfile(archive) else package
