"""Logs by byte offset: whole, in order, once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from unit.agent.client import Client, Head, eventually


@pytest.fixture(scope="module")
def client(shared_head: Head) -> Client:
    return shared_head.up(nodes=3)


def test_chunks_say_where_they_are_from(client: Client) -> None:
    job = client.submit("echo run", setup="echo setup")
    client.wait(job)
    found = [
        (chunk["stream"], chunk["kind"], chunk["rank"], chunk["node"]) for chunk, data in client.chunks(job) if data
    ]
    assert sorted(found) == [
        ("rank-0", "run", 0, "head"), ("setup-0", "setup", 0, "head"),
        ("setup-1", "setup", 1, "worker1"), ("setup-2", "setup", 2, "worker2"),
    ]  # fmt: skip


def test_text_comes_while_it_is_written_and_the_end_is_told(client: Client, shared_head: Head) -> None:
    job = client.submit("for i in 1 2 3 4 5; do date +%s.%N; sleep 0.15; done; exit 4")
    delays = []
    last = {}
    for chunk, data in client.chunks(job, follow=True):
        last = chunk
        delays += [time.time() - float(line) for line in data.split()]
    assert len(delays) == 5
    assert min(delays) < 0.3
    assert (last["done"], last["status"], last["exit_codes"]) == (True, "FAILED", [4])


def test_following_can_begin_before_the_job_starts(client: Client, shared_head: Head) -> None:
    job = client.submit("while [ ! -e ~/open ]; do sleep 0.01; done; echo late")
    other = shared_head.client()
    other.post("logs", job_id=job, follow=True)
    client.wait(client.submit("touch ~/open"))
    assert other.answer()["chunk"]["length"] == 5
    assert other.read()[1] == b"late\n"
    assert other.answer()["status"] == "SUCCEEDED"


def test_resuming_at_any_offset_neither_loses_nor_doubles_a_byte(client: Client) -> None:
    job = client.submit("head -c 300000 /dev/urandom", num_nodes=2)
    client.wait(job)
    whole: dict[str, bytes] = {}
    offsets: dict[str, int] = {}
    for _ in range(60):
        for count, (chunk, data) in enumerate(client.chunks(job, offsets=offsets)):
            if data and count < 1:
                assert chunk["offset"] == len(whole.get(chunk["stream"], b""))
                whole[chunk["stream"]] = whole.get(chunk["stream"], b"") + data[:7919]
                offsets = {stream: len(text) for stream, text in whole.items()}
        if sum(offsets.values()) == 600_000:
            break
    else:
        for chunk, data in client.chunks(job, offsets=offsets):
            if data:
                assert chunk["offset"] == len(whole.get(chunk["stream"], b""))
                whole[chunk["stream"]] = whole.get(chunk["stream"], b"") + data
    assert {stream: len(text) for stream, text in whole.items()} == {"rank-0": 300_000, "rank-1": 300_000}
    again = dict.fromkeys(whole, b"")
    for chunk, data in client.chunks(job):
        if data:
            again[chunk["stream"]] += data
    assert again == whole


def test_reading_while_it_grows_gives_every_byte_once(client: Client) -> None:
    job = client.submit("for i in $(seq 3000); do echo line $i of $SKYX_NODE_RANK; done", num_nodes=3)
    texts = {f"rank-{rank}": b"" for rank in range(3)}
    for chunk, data in client.chunks(job, follow=True):
        if data:
            assert chunk["offset"] == len(texts[chunk["stream"]])
            texts[chunk["stream"]] += data
    for rank in range(3):
        expected = "".join(f"line {number} of {rank}\n" for number in range(1, 3001))
        assert texts[f"rank-{rank}"].decode() == expected


def test_a_later_read_has_the_order_in_which_ranks_wrote(client: Client) -> None:
    turn = "for i in 0 1 2 3; do sleep 0.25; [ $((i % 2)) = $SKYX_NODE_RANK ] && echo $i; done; true"
    job = client.submit(turn, num_nodes=2)
    client.wait(job)
    assert client.text(job) == "0\n1\n2\n3\n"


@pytest.mark.parametrize(
    ("lines", "expected"), [(0, ""), (1, "z\n"), (2, "y\nz\n"), (3, "x\ny\nz\n"), (99, "x\ny\nz\n")]
)
def test_the_last_lines(client: Client, lines: int, expected: str) -> None:
    job = client.submit("printf 'x\\ny\\nz\\n'")
    client.wait(job)
    assert client.text(job, tail=lines) == expected


def test_the_last_lines_of_many_ranks_and_of_a_line_without_end(client: Client) -> None:
    job = client.submit("sleep 0.$((SKYX_NODE_RANK * 3)); printf 'a\\nb%s' $SKYX_NODE_RANK", num_nodes=3)
    client.wait(job)
    assert client.text(job, tail=3) == "b1a\nb2"
    job = client.submit("head -c 200000 /dev/zero | tr '\\0' x; printf '\\nend\\n'")
    client.wait(job)
    assert client.text(job, tail=1) == "end\n"
    assert len(client.text(job, tail=2)) == 200_005


def test_ranks_can_be_chosen(client: Client) -> None:
    job = client.submit("echo $SKYX_NODE_RANK", num_nodes=3)
    client.wait(job)
    assert client.text(job, ranks=[2]) == "2\n"
    assert client.text(job, ranks=[]) == ""


def test_a_huge_line_passes_in_bounded_memory(client: Client, shared_head: Head) -> None:
    job = client.submit("head -c 60000000 /dev/zero")
    client.wait(job)
    assert sum(len(data) for _, data in client.chunks(job)) == 60_000_000
    status = Path(f"/proc/{shared_head.agent_pid()}/status").read_text()
    assert int(status.split("VmHWM:")[1].split()[0]) < 40_000


def test_any_bytes_pass(client: Client) -> None:
    job = client.submit("printf '\\0\\377\\r\\033[31m'; printf '\\360\\237'")
    client.wait(job)
    assert b"".join(data for _, data in client.chunks(job)) == b"\0\xff\r\x1b[31m\xf0\x9f"


def test_a_reader_that_leaves_does_not_end_the_job(client: Client, shared_head: Head) -> None:
    job = client.submit("while [ ! -e ~/left ]; do echo x; sleep 0.01; done")
    other = shared_head.client()
    other.post("logs", job_id=job, follow=True)
    other.answer()
    other.close()
    client.wait(client.submit("touch ~/left"))
    assert client.wait(job)["status"] == "SUCCEEDED"


def test_a_log_that_can_not_be_read_is_an_error_not_an_empty_text(client: Client, shared_head: Head) -> None:
    from unit.agent.client import AgentRefusal

    job = client.submit("echo x")
    client.wait(job)
    log = shared_head.dir / "jobs" / str(job) / "rank-0.log"
    log.unlink()
    os.mkdir(log)
    with pytest.raises(AgentRefusal, match="can't be read"):
        client.text(job)
    assert eventually(lambda: client.ask("status")["ok"])
