from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plugin_fixtures import SOURCES, install


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the import path of this process; what is imported from it is forgotten at the end."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for module in {file.stem for file in SOURCES.glob("*/*.py")}:
        sys.modules.pop(module, None)


@pytest.fixture
def installed(site: Path) -> Callable[..., Path]:
    """Install the named distributions into ``site``."""

    def put(*names: str) -> Path:
        for name in names:
            install(name, site)
        return site

    return put
