from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.agent.client import Head


@pytest.fixture
def head() -> Iterator[Head]:
    """A head of its own, on a short path (sockets); all its processes are ended afterwards."""
    root = Path(tempfile.mkdtemp(prefix="sx"))
    made = Head(root)
    yield made
    made.end()
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def shared_head() -> Iterator[Head]:
    """One head for the tests of a module that only add jobs to it."""
    root = Path(tempfile.mkdtemp(prefix="sx"))
    made = Head(root)
    yield made
    made.end()
    shutil.rmtree(root, ignore_errors=True)
