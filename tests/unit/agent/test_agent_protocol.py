"""Frames, and what the agent makes of clients that don't keep to them."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest

from skyx_agent.errors import AgentError
from skyx_agent.protocol import BYTES, JSON, Decoder, frame, json_frame
from unit.agent.client import PACKAGE, PYTHON, AgentRefusal, Client, Head, eventually


@pytest.fixture(scope="module")
def client_path(shared_head: Head) -> str:
    shared_head.up()
    return str(shared_head.info["socket"])


def test_frames_survive_any_cutting() -> None:
    stream = json_frame({"a": "\u00e9\ud83d"}) + frame(BYTES, b"\0J\n" * 9) + json_frame({})
    for size in (1, 2, 5, 7, len(stream)):
        decoder = Decoder()
        found = [one for at in range(0, len(stream), size) for one in decoder.feed(stream[at : at + size])]
        assert [kind for kind, _ in found] == [JSON, BYTES, JSON]
        assert json.loads(found[0][1]) == {"a": "\u00e9\ud83d"}
        assert found[1][1] == b"\0J\n" * 9


def test_oversize_and_garbage_are_refused_before_they_are_read() -> None:
    with pytest.raises(AgentError, match="is the limit"):
        list(Decoder(limit=10).feed(struct.pack(">cI", b"J", 11)))
    with pytest.raises(AgentError, match="not a frame"):
        list(Decoder().feed(b"GET / HTTP/1.1\r\n"))


def test_socket_and_files_are_the_owners_only(shared_head: Head, client_path: str) -> None:
    assert os.stat(client_path).st_mode & 0o077 == 0
    assert os.stat(os.path.dirname(client_path)).st_mode & 0o777 == 0o700
    assert os.stat(shared_head.dir).st_mode & 0o777 == 0o700
    client = Client(client_path)
    client.wait(client.submit("echo secret", setup="true", secrets={"S": "x"}))
    for place, _, names in os.walk(shared_head.dir):
        for name in names:
            assert os.stat(os.path.join(place, name)).st_mode & 0o077 == 0, os.path.join(place, name)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff\xfe\x00garbage",
        struct.pack(">cI", b"J", 1 << 31),
        struct.pack(">cI", b"J", 5) + b"notjs",
        struct.pack(">cI", b"J", 2) + b"[]",
        struct.pack(">cI", b"J", 40000) + b"[" * 40000,
    ],
)
def test_garbage_ends_that_connection_only(client_path: str, garbage: bytes) -> None:
    other = Client(client_path)
    bad = Client(client_path, hello=False)
    bad.sock.sendall(garbage)
    with pytest.raises((AgentRefusal, EOFError, ConnectionError)):
        bad.answer()
    assert other.ask("status")["ok"]


def test_a_request_before_the_hello_and_an_unknown_one_are_refused(client_path: str) -> None:
    with pytest.raises(AgentRefusal) as refusal:
        Client(client_path, hello=False).ask("status")
    assert refusal.value.code == "no_hello"
    with pytest.raises(AgentRefusal) as refusal:
        Client(client_path).ask("fly")
    assert refusal.value.code == "unknown_op"
    with pytest.raises(AgentRefusal) as refusal:
        Client(client_path, hello=False).ask("hello", protocols=[7], client="future")
    assert refusal.value.code == "protocol"


@pytest.mark.parametrize("fields", [{"job_id": "x"}, {"job_id": 1.5}, {"job_id": True}, {"job_id": {}}, {"job_id": -1}])
def test_wrong_types_are_refused_by_name(client_path: str, fields: dict[str, object]) -> None:
    with pytest.raises(AgentRefusal) as refusal:
        Client(client_path).ask("job", **fields)
    assert refusal.value.code in ("invalid", "unknown_job")


def test_a_number_that_no_job_can_have_is_unknown(client_path: str) -> None:
    client = Client(client_path)
    for number in (10**30, -(10**30), 1 << 63, 1 << 62, 0):
        for op in ("job", "logs", "wait"):
            with pytest.raises(AgentRefusal) as refusal:
                client.ask(op, job_id=number)
            assert refusal.value.code == "unknown_job"
        assert client.ask("cancel", jobs=[number])["unknown"] == [number]


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (10**30, "too large"), (1e300, "too large"), (-(10**30), "too small"), (float("inf"), "too large"),
        (float("nan"), "not a number"), ("5", "must be a number"),
    ],
)  # fmt: skip
def test_idle_minutes_out_of_range_are_refused_in_words(client_path: str, minutes: object, words: str) -> None:
    with pytest.raises(AgentRefusal, match=words) as refusal:
        Client(client_path).ask("autostop", set={"idle_minutes": minutes, "argv": ["true"]})
    assert refusal.value.code == "invalid"
    assert "idle_minutes" in str(refusal.value)


def test_large_idle_minutes_are_taken(client_path: str) -> None:
    client = Client(client_path)
    client.ask("autostop", set={"idle_minutes": 10**14, "argv": ["true"]})
    assert client.ask("autostop", cancel=True)["autostop"]["state"] == "off"


def test_a_client_that_never_reads_does_not_hold_up_others_nor_fill_memory(shared_head: Head, client_path: str) -> None:
    client = Client(client_path)
    job = client.submit("head -c 30000000 /dev/zero")
    client.wait(job)
    lazy = [Client(client_path) for _ in range(3)]
    for one in lazy:
        one.post("logs", job_id=job)
        one.sock.settimeout(0.2)
    half = Client(client_path)
    half.sock.sendall(struct.pack(">cI", b"J", 900) + b"{")
    began = time.monotonic()
    assert client.ask("status")["ok"]
    assert time.monotonic() - began < 2
    status = Path(f"/proc/{shared_head.agent_pid()}/status").read_text()
    assert int(status.split("VmRSS:")[1].split()[0]) < 40_000
    with pytest.raises(OSError):  # noqa: PT012 - which of them meets the full pipe is not ours to say
        for _ in range(10_000):
            lazy[0].post("status")


def test_relay_carries_the_protocol_over_stdin_and_stdout(shared_head: Head, client_path: str) -> None:
    process = subprocess.Popen(
        [*PYTHON, str(PACKAGE), "relay", "--dir", str(shared_head.dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(
        json_frame({"op": "hello", "protocols": [1], "client": "t"}) + json_frame({"op": "status", "id": 4})
    )
    process.stdin.flush()
    assert process.stdout.readline() == b"\n"
    assert process.stdout.readline().startswith(b"SKYX-AGENT 1 ")
    decoder = Decoder()
    found: list[dict[str, object]] = []
    while len(found) < 2:
        found += [json.loads(body) for _, body in decoder.feed(os.read(process.stdout.fileno(), 65536))]
    assert found[0]["protocol"] == 1
    assert found[1]["id"] == 4
    process.stdin.close()
    assert process.wait(5) == 0
    process.stdout.close()


def test_relay_without_an_agent_says_so(head: Head) -> None:
    head.dir.mkdir()
    done = subprocess.run(
        [*PYTHON, str(PACKAGE), "relay", "--dir", str(head.dir)], capture_output=True, timeout=20, check=False
    )
    assert done.returncode == 1
    assert b"no agent answers" in done.stderr
    assert done.stdout == b""


def test_a_swept_away_socket_comes_back(head: Head) -> None:
    head.up()
    os.unlink(head.info["socket"])
    before = head.agent_pid()
    assert head.serve()["pid"] == before
    assert eventually(lambda: head.client().ask("status")["ok"])


def test_too_many_connections_are_turned_away_and_old_ones_served(client_path: str) -> None:
    kept = Client(client_path)
    crowd = []
    for _ in range(300):
        one = socket.socket(socket.AF_UNIX)
        one.connect(client_path)
        crowd.append(one)
    assert kept.ask("status")["ok"]
    for one in crowd:
        one.close()
    assert eventually(lambda: Client(client_path).ask("status")["ok"])
