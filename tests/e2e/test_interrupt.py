"""Ctrl-C: heard at once, whatever a driver does; and a log that is left lives on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from cli_process import Cli, finish, reader, wait_for

pytestmark = pytest.mark.e2e

HEARD_S = 2.0
SLOW = """
import os, signal, sys, time
from skyx_core.api import hookimpl

class Slow:
    '''Hangs in the middle of making nodes: "deaf" for good, "before" and "after" until the attempt is cancelled.'''

    @hookimpl(wrapper=True)
    def skyx_provision(self, driver, place, request, attempt):
        how = os.environ["SLOW"]
        if how == "after":
            made = yield
        open(os.environ["SLOW_MARK"], "w").close()
        while True:
            time.sleep(0.02)
            if how != "deaf":
                attempt.check()
        return made
"""


@pytest.fixture
def slow(cli: Cli, tmp_path: Path) -> Cli:
    """A user with a listener that keeps drivers from coming back."""
    site = tmp_path / "site"
    info = site / "skyx_slow-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "skyx_slow.py").write_text(SLOW)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: skyx-slow\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[skyx.plugins]\nslow = skyx_slow:Slow\n")
    cli.extra.update(PYTHONPATH=str(site), SLOW_MARK=str(tmp_path / "mark"))
    return cli


def begin(user: Cli, how: str, *more: str) -> subprocess.Popen:
    user.extra["SLOW"] = how
    process = user.start("launch", "-c", "c", "-y", "--infra", "local", *more, "true")
    wait_for(Path(user.extra["SLOW_MARK"]).exists, what="the driver to hang")
    return process


def press(process: subprocess.Popen) -> float:
    process.send_signal(signal.SIGINT)
    return time.monotonic()


def test_a_driver_that_hangs_keeps_neither_the_first_nor_the_second_ctrl_c(slow):
    process = begin(slow, "deaf")
    read = reader(process, "stderr")
    pressed = press(process)
    wait_for(lambda: b"interrupted" in read(), limit=HEARD_S, what="the answer to the first Ctrl-C")
    assert time.monotonic() - pressed < HEARD_S
    if process.poll() is None:
        again = press(process)
        process.wait(timeout=HEARD_S)
        assert time.monotonic() - again < HEARD_S
    assert process.returncode == 130
    process.communicate()
    for name in ("SLOW", "SLOW_MARK", "PYTHONPATH"):
        slow.extra.pop(name)
    slow.run("down", "c", "-y")
    assert slow.left() == []


@pytest.mark.parametrize("how", ["before", "after"])
def test_an_interrupted_launch_cleans_up(slow, how):
    process = begin(slow, how, "--on-interrupt", "cleanup")
    press(process)
    ended = finish(process, 30)
    assert ended.code == 130
    assert "interrupted" in ended.err
    assert "Traceback" not in ended.err
    assert slow.left() == []
    assert slow.clusters() == []


def test_an_interrupted_launch_keeps_what_was_made_when_told_so(slow):
    process = begin(slow, "after", "--on-interrupt", "keep")
    press(process)
    ended = finish(process, 30)
    assert ended.code == 130
    assert slow.clusters() == ["c"]
    assert len(slow.nodes()) == 1
    [row] = slow.ok("status", "-o", "json").json
    assert row["status"] == "INIT"


def test_ctrl_c_ends_the_reading_of_a_log_and_not_the_job(shared):
    process = shared.start("exec", "c", "echo begun; until test -e ~/go; do sleep 0.05; done; echo done")
    read = reader(process)
    wait_for(lambda: b"begun" in read(), what="the log")
    pressed = press(process)
    ended = finish(process, 10)
    assert time.monotonic() - pressed < HEARD_S + 1
    assert ended.code == 130
    assert "still running" in ended.err
    assert "skyx logs c 1" in ended.err
    assert "skyx cancel c 1" in ended.err

    follower = shared.start("logs", "c", "1", "-o", "json")
    lines = reader(follower)
    wait_for(lambda: b"begun" in lines(), what="the log")
    press(follower)
    assert finish(follower, 10).code == 130
    shared.ok("exec", "c", "touch ~/go")
    assert shared.ok("logs", "c", "1").out.splitlines()[-1].endswith("done")


def test_sigint_before_anything_is_made_leaves_nothing(cli):
    process = cli.start("launch", "-c", "c", "--infra", "local", "true", stdin=None)
    os.kill(process.pid, signal.SIGINT)
    ended = finish(process, 20)
    assert ended.code in (130, -signal.SIGINT)
    assert cli.left() == []
