"""What is made is its owner's alone, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from skyx_core.clock import SystemClock
from skyx_core.node.agent_payload import agent_payload
from skyx_core.node.sandbox import Sandboxes, SandboxRunner, SandboxSpec
from skyx_core.node.sandbox_record import locked


@pytest.fixture(params=[0, 0o077, 0o777])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    try:
        yield request.param
    finally:
        os.umask(before)


@pytest.mark.usefixtures("umask")
def test_folders_and_files_of_nodes(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o700)
    top = tmp_path / "top"
    sandbox = Sandboxes(top / "nodes").create(SandboxSpec(id="u-0-x", cluster_uid="u"))
    SandboxRunner(sandbox.folder, node="head").put_bytes(b"x", "~/deep/er/file")
    agent_payload(top / "cache")
    with locked(top / "locks" / "one", SystemClock(), 1):
        pass
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in top.rglob("*") if not path.is_symlink()}
    scripts = {"pip", "pip3"}
    assert all(mode == (0o700 if path.is_dir() or path.name in scripts else 0o600) for path, mode in modes.items())
