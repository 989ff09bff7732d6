"""The local executor adds nothing to the agent."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from skyx_core.api import DriverContext, Link, NodeAccess
from skyx_local.executor import LocalExecutor, LocalExecutorSettings


def test_it_needs_and_starts_nothing(tmp_path: Path) -> None:
    executor = LocalExecutor(LocalExecutorSettings(), DriverContext(owner="o", home=tmp_path))
    assert executor.links == {Link.SANDBOX}
    assert executor.requirements().packages == ()
    assert executor.payload().files == {}
    for _ in range(2):
        executor.prepare(cast(NodeAccess, None))
        executor.stop(cast(NodeAccess, None))
    assert list(tmp_path.iterdir()) == []
