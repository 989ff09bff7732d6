"""What can't be copied is refused before anything is made; a node that is lost is not waited for."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from skyx_core.calls import Fence
from skyx_core.clock import SystemClock
from skyx_core.cluster.bootstrap import _reach
from skyx_core.cluster.services import Services
from skyx_core.cluster.sync import plan_sync
from skyx_core.errors import UsageError
from skyx_core.node.runner import NodeLostError
from skyx_core.node.sandbox import Sandboxes, SandboxRunner, SandboxSpec
from skyx_core.task import Task


def _spoil(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/etc/passwd")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(path))


@pytest.mark.parametrize("kind", ["pipe", "link", "socket"])
@pytest.mark.parametrize("mount", [False, True])
def test_what_cannot_be_copied_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, mount: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    _spoil(tmp_path / "data" / "odd", kind)
    task = Task(file_mounts={"~/data": "data"}) if mount else Task(workdir="data")
    with pytest.raises(UsageError, match="holds what can't be copied") as caught:
        plan_sync(task, tmp_path)
    assert "'odd'" in caught.value.why
    assert kind in caught.value.why
    (tmp_path / "data" / ".skyxignore").write_text("odd\n")
    if not mount:
        assert len(plan_sync(task, tmp_path)[0]) == 1


def test_a_mount_that_is_a_pipe_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError) as caught:
        plan_sync(Task(file_mounts={"~/data": "pipe"}), tmp_path)
    assert "is a pipe" in caught.value.why


def test_nodes_that_lie_in_the_workdir_are_not_judged(tmp_path: Path, sandboxes: Sandboxes) -> None:
    node = sandboxes.create(SandboxSpec(id="u-0-x", cluster_uid="u"))
    os.mkfifo(node.home / "pipe")
    assert plan_sync(Task(workdir="."), tmp_path)[0]


@pytest.mark.parametrize("lost", ["folder", "home", "record"])
def test_a_lost_node_is_not_waited_for(sandboxes: Sandboxes, lost: str) -> None:
    node = sandboxes.create(SandboxSpec(id="u-0-x", cluster_uid="u"))
    if lost == "record":
        (node.folder / "node.json").write_text("{")
    else:
        shutil.rmtree(node.folder if lost == "folder" else node.home)
    services = cast("Services", SimpleNamespace(clock=SystemClock()))
    runner, ended = SandboxRunner(node.folder, node="head"), threading.Event()

    def reach() -> None:
        with pytest.raises(NodeLostError):
            _reach(services, runner, Fence(), SystemClock().monotonic() + 60)
        ended.set()

    threading.Thread(target=reach, daemon=True).start()
    assert ended.wait(10)
