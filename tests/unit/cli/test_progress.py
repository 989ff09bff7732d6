"""Progress from events, and logs from chunks."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from cli_fakes import FakeSession, skyx
from skyx_core.cli.logview import Prefixer, copy_text
from skyx_core.cli.phases import Phases
from skyx_core.models import Candidate, Event, EventKind
from skyx_core.results import LogChunk

CANDIDATE = Candidate(cloud="mars", region="north", instance_type="m1", cpus=1, memory_gb=1, hourly_usd=1)

RUN = [
    Event(kind=EventKind.LAUNCH_STARTED, time=0, cluster="a"),
    Event(kind=EventKind.ATTEMPT_STARTED, time=1, cluster="a", attempt=1, candidate=CANDIDATE),
    Event(kind=EventKind.PROGRESS, time=2, cluster="a", message="asking for machines"),
    Event(kind=EventKind.ATTEMPT_FAILED, time=3, cluster="a", error="sold out", next="next candidate"),
    Event(kind=EventKind.ATTEMPT_CLEANED, time=4, cluster="a", attempt=1),
    Event(kind=EventKind.ATTEMPT_STARTED, time=4, cluster="a", attempt=2, candidate=CANDIDATE),
    Event(kind=EventKind.NODES_UP, time=6.5, cluster="a", total=2),
    Event(kind=EventKind.NODE_READY, time=7, cluster="a", node="head", rank=0, total=2),
    Event(kind=EventKind.NODE_READY, time=8, cluster="a", node="worker1", rank=1, total=2),
    Event(kind=EventKind.CLUSTER_UP, time=8, cluster="a"),
    Event(kind=EventKind.WARNING, time=8, message="careful"),
    Event(kind=EventKind.JOB_SUBMITTED, time=9, cluster="a", job_id=4),
]


def test_phases_say_what_goes_on_how_long_it_took_and_what_failed() -> None:
    phases = Phases()
    lines = [line.render() for event in RUN for line in phases.feed(event)]
    assert "! Provisioning mars/north m1: sold out (2.0 s)" in lines
    assert "+ Provisioning mars/north m1 (attempt 2) (2.5 s)" in lines
    assert "+   worker1 ready [2/2] (1.5 s)" in lines
    assert "+ Preparing 2 nodes (1.5 s)" in lines
    assert lines[-1] == "+ Job 4 is queued on a"
    assert phases.current is None


def test_every_kind_of_event_can_be_shown() -> None:
    for kind in EventKind:
        phases = Phases()
        for line in phases.feed(Event(kind=kind, time=0)):
            assert line.render()


def test_a_plan_that_was_shown_is_not_told_again() -> None:
    assert Phases().feed(Event(kind=EventKind.PLANNED, time=0, message="3 candidates")) == []


def test_plain_progress_is_on_stderr() -> None:
    result = skyx("launch", "-y", "-d", "true", session=FakeSession(events=RUN))
    assert "+ Cluster a is up" in result.err
    assert "Cluster" not in result.out


def test_json_progress_is_one_event_per_line_on_stderr() -> None:
    result = skyx("launch", "-y", "-d", "--progress", "json", "true", session=FakeSession(events=RUN))
    events = [json.loads(line) for line in result.err.splitlines() if line.startswith("{")]
    assert [event["kind"] for event in events] == [str(event.kind) for event in RUN]


def test_quiet_progress_still_warns() -> None:
    result = skyx("launch", "-y", "-d", "--progress", "quiet", "true", session=FakeSession(events=RUN))
    assert "careful" in result.err
    assert "Cluster a is up" not in result.err


def test_quiet_progress_leaves_out_what_the_error_at_the_end_says() -> None:
    run = [*RUN, Event(kind=EventKind.GAVE_UP, time=9, message="nothing is left to try")]
    quiet = skyx("launch", "-y", "-d", "--progress", "quiet", "true", session=FakeSession(events=run))
    plain = skyx("launch", "-y", "-d", "true", session=FakeSession(events=run))
    assert ("Gave up" in quiet.err, "! Gave up: nothing is left to try" in plain.err) == (False, True)


def test_progress_mode_comes_from_the_settings_too() -> None:
    session = FakeSession(events=RUN, setting_values={"progress": "quiet"})
    assert "Cluster a is up" not in skyx("launch", "-y", "-d", "true", session=session).err


def test_live_progress_leaves_finished_phases_behind() -> None:
    result = skyx("launch", "-y", "-d", "true", session=FakeSession(events=RUN), tty=True, environ={"NO_COLOR": ""})
    assert "+ Cluster a is up" in result.err


def chunk(rank: int, data: bytes) -> LogChunk:
    return LogChunk(rank, f"n{rank}", data, f"rank-{rank}", 0)


def test_each_line_has_one_prefix_also_when_it_comes_in_pieces() -> None:
    prefixer = Prefixer()
    out = b"".join(prefixer.feed(c) for c in (chunk(0, b"a\nb"), chunk(0, b"c\n"), chunk(0, b"\n")))
    assert out == b"(n0, rank=0) a\n(n0, rank=0) bc\n(n0, rank=0) \n"


def test_a_stream_that_cuts_in_closes_the_open_line() -> None:
    prefixer = Prefixer()
    out = b"".join(prefixer.feed(c) for c in (chunk(0, b"x"), chunk(1, b"y\n"), chunk(0, b"z")))
    assert out + prefixer.finish() == b"(n0, rank=0) x\n(n1, rank=1) y\n(n0, rank=0) z\n"


def test_only_the_prefix_is_coloured() -> None:
    assert Prefixer(color=True).feed(chunk(0, b"hi\n")) == b"\x1b[36m(n0, rank=0)\x1b[0m hi\n"


@given(st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\r", b"\n")), max_size=8))
def test_no_byte_is_lost_or_doubled_however_a_log_is_cut(pieces: list[bytes]) -> None:
    written: list[bytes] = []
    copy_text([chunk(0, piece) for piece in pieces], written.append, color=False)
    text = b"".join(pieces)
    lines = text.split(b"\n")
    rest = lines.pop()
    expected = b"".join(b"(n0, rank=0) " + line + b"\n" for line in [*lines, *([rest] if rest else [])])
    assert b"".join(written) == expected
