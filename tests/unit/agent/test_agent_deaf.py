"""An agent whose files were swept away or damaged is found again, as it is shipped."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skyx_agent.deaf import is_agent
from skyx_core.node.agent_payload import agent_payload
from unit.agent.client import PYTHON, AgentRefusal, Head, eventually, lives


@pytest.fixture
def program(head: Head) -> list[str]:
    """The very zip file that is brought to a head."""
    payload = agent_payload(head.root / "cache")
    path = head.root / f"agent-{payload.digest[:16]}.pyz"
    path.write_bytes(payload.data)
    return [*PYTHON, str(path)]


def _socket(head: Head) -> Path:
    return Path(head.info["socket"])


@pytest.mark.parametrize("lost", ["socket", "folder", "agent.json", "both"])
def test_a_shipped_agent_is_heard_again(head: Head, program: list[str], lost: str) -> None:
    head.serve(program)
    job = head.client()
    job.ask("configure", cluster=head.cluster())
    before = head.agent_pid()
    if lost == "folder":
        shutil.rmtree(_socket(head).parent)
    if lost in ("socket", "both"):
        _socket(head).unlink()
    if lost in ("agent.json", "both"):
        (head.dir / "agent.json").unlink()
    began = time.monotonic()
    assert head.serve(program).get("pid") == before
    assert time.monotonic() - began < 5
    assert eventually(lambda: head.client().ask("status")["ok"])


@pytest.mark.parametrize("lost", ["socket", "agent.json"])
def test_relay_wakes_it_too(head: Head, program: list[str], lost: str) -> None:
    head.serve(program)
    (_socket(head) if lost == "socket" else head.dir / "agent.json").unlink()
    done = subprocess.run(
        [*program, "relay", "--dir", str(head.dir)], input=b"", capture_output=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_only_the_agent_of_this_folder_is_meant(head: Head, program: list[str], tmp_path: Path) -> None:
    head.serve(program)
    link = tmp_path / "link"
    link.symlink_to(head.dir)
    assert is_agent(head.agent_pid(), str(head.dir))
    assert is_agent(head.agent_pid(), str(link))
    assert not is_agent(head.agent_pid(), str(tmp_path))
    assert not is_agent(head.info["supervisor_pid"], str(head.dir))
    argv = [sys.executable, "-c", "input()", "agent", "--dir", str(head.dir)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE) as other:
        assert not is_agent(other.pid, str(head.dir))  # it doesn't mind SIGHUP
        known = json.loads((head.dir / "agent.json").read_text())
        (head.dir / "agent.json").write_text(json.dumps({**known, "pid": other.pid}))
        _socket(head).unlink()
        assert head.serve(program).get("pid") == known["pid"]
        assert lives(other.pid)
        other.communicate(b"\n", timeout=10)


@pytest.mark.parametrize("damage", [b"", b"{", b'{"name": "c"}', None])
def test_a_damaged_cluster_file_is_made_again(head: Head, damage: bytes | None) -> None:
    client = head.up()
    path = head.dir / "cluster.json"
    content = path.read_bytes()
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    client = head.reconnect(head.kill_agent())
    assert client.wait(client.submit("true"))["status"] == "SUCCEEDED"
    assert path.read_bytes() == content


def test_an_agent_without_a_cluster_says_what_to_do(head: Head) -> None:
    head.serve()
    with pytest.raises(AgentRefusal, match=r"cluster\.json") as refusal:
        head.client().submit("true")
    assert refusal.value.code == "not_configured"
    assert "skyx stop NAME && skyx start NAME" in refusal.value.hint
