"""One sandbox for tests of what is done in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skyx_core.node.sandbox import Sandbox, Sandboxes, SandboxRunner, SandboxSpec


@pytest.fixture
def sandboxes(tmp_path: Path) -> Sandboxes:
    return Sandboxes(tmp_path / "nodes", grace_s=0.3)


@pytest.fixture
def sandbox(sandboxes: Sandboxes) -> Iterator[Sandbox]:
    yield sandboxes.create(SandboxSpec(id="n0", cluster_uid="u", address="127.64.0.1"))
    sandboxes.remove(["n0"])


@pytest.fixture
def runner(sandboxes: Sandboxes, sandbox: Sandbox) -> SandboxRunner:
    return sandboxes.runner(sandbox, "head")
