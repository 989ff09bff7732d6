"""Errors through the rules of real clouds: in process, and a file of 10,000 through the command."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.contests import Program, contest
from benchmarks.made_errors import KINDS, records
from benchmarks.pairs import interleave
from benchmarks.places import PYTHON, SKYX
from benchmarks.processes import spawner
from benchmarks.rows import Goal, Row, Run

if TYPE_CHECKING:
    from skyx_core.failover.recorded import Recorded
    from skyx_core.failover.rules import Rulebook
    from skyx_core.models import Verdict

LIMIT_US = 100.0  # 10,000 a second
SIZES = (500, 2000)
LINEAR = 5.0  # four times the text
ONE_CLOUD = "aws"
FLOOR_PROCESS = "import json, sys; [print(json.dumps(json.loads(line))) for line in open(sys.argv[1])]"


def run(run: Run) -> Iterator[Row]:
    """Each cloud's table, then the whole process."""
    count = 500 if run.quick else 2000
    for cloud in KINDS:
        yield _in_process(run, cloud, count)
        yield _long(run, cloud)
    yield from _command(run, 2000 if run.quick else 10_000)


def _in_process(run: Run, cloud: str, count: int) -> Row:
    from skyx_core.failover.recorded import parse

    book = rulebook(run, cloud)
    errors = [parse(line) for line in records(cloud, count)]
    answers = Counter(_verdict(book, each).rule for each in errors)
    unknown = answers["core.unknown"] / count
    texts = list(records(cloud, count))
    found = interleave({"ours": partial(_classified, book, errors), "floor": partial(_read, texts)}, run.rounds)
    slowest = max(range(len(KINDS[cloud])), key=lambda kind: _classified(book, errors[kind :: len(KINDS[cloud])]))
    slow = errors[slowest :: len(KINDS[cloud])]
    return Row(
        "classify", f"{cloud}, each error", "us", found.median("ours"), floor=found.median("floor"),
        floor_is="json.loads of the line that holds it; command: and json.dumps, in python -c",
        ratio=found.ratio("ours", "floor"), goal=Goal("ours", LIMIT_US, "us"),
        note=f"processor time; {1e6 / found.median('ours'):.0f} errors a second; {len(book.rules)} rules, "
        f"{len(answers)} of them met; no rule knows {unknown:.0%} of the errors; slowest kind "
        f"{_classified(book, slow):.0f} us ({_verdict(book, slow[0]).rule})",
    )  # fmt: skip


def _long(run: Run, cloud: str) -> Row:
    """What no rule knows is searched by every pattern; one that tries again at each character would show here."""
    from skyx_core.failover.recorded import parse

    book = rulebook(run, cloud)
    text = "Nobody has seen this before: it tells of a machine, a gpu, an image, a quota and a zone, not of 4 things. "
    whole = text * (SIZES[1] // len(text) + 1)
    parts = {size: [parse(json.dumps({"cloud": cloud, "error": whole[:size]}))] for size in SIZES}
    found = interleave({str(size): partial(_classified, book, parts[size]) for size in SIZES}, run.rounds)
    short, long = map(str, SIZES)
    return Row(
        "classify", f"{cloud}, an unknown text of {long} characters", "us", found.median(long),
        floor=found.median(short), floor_is=f"of {short} characters", ratio=found.ratio(long, short),
        goal=Goal("ratio", LINEAR),
    )  # fmt: skip


def rulebook(run: Run, cloud: str) -> Rulebook:
    """As a session makes it: installed tables and the usual rules."""
    from skyx_core.calls import Caller
    from skyx_core.clock import SystemClock
    from skyx_core.cluster.rulebooks import Rulebooks
    from skyx_core.discovery import Plugins

    plugins = Plugins(caller=Caller(SystemClock()), index_dir=run.scratch.folder("index"))
    books = Rulebooks(plugins, run.scratch.root / "rules.yaml", print)
    assert books.known(cloud), f"no rules for {cloud} are installed (skyx-rules-extra)"
    return books.of(cloud)


def _classified(book: Rulebook, errors: Sequence[Recorded]) -> float:
    began = time.thread_time()
    for each in errors:
        _verdict(book, each)
    return (time.thread_time() - began) / len(errors) * 1e6


def _verdict(book: Rulebook, each: Recorded) -> Verdict:
    return book.classify(each.error, place=each.place, candidate=each.candidate, now=0.0)


def _read(lines: Sequence[str]) -> float:
    began = time.thread_time()
    for line in lines:
        json.loads(line)
    return (time.thread_time() - began) / len(lines) * 1e6


def _command(run: Run, count: int) -> Iterator[Row]:
    env = run.scratch.environ()
    many, one = run.scratch.root / "errors.jsonl", run.scratch.root / "error.jsonl"
    lines = list(records(ONE_CLOUD, count))
    many.write_text("\n".join(lines) + "\n")
    one.write_text(lines[0] + "\n")
    programs = {
        "ours": _ours(many, env),
        "one": _ours(one, env),
        "floor": Program([PYTHON, "-c", FLOOR_PROCESS, str(many)], env),
    }
    with spawner(run.scratch.root) as spawn:
        found = contest(spawn, programs, run.rounds)
        spawn.run(programs["ours"].argv, env)
        assert len(spawn.output().splitlines()) == count, "not every line was answered"
    yield Row(
        "classify", f"skyx classify -o json, {count} lines", "ms", found.wall.median("ours"),
        floor=found.wall.median("floor"),
        ratio=found.wall.ratio("ours", "floor"), note=found.note("ours", "floor"),
    )  # fmt: skip
    each = median(
        (most - least) / (count - 1) * 1e3
        for most, least in zip(found.cpu.values["ours"], found.cpu.values["one"], strict=True)
    )
    yield Row(
        "classify", "skyx classify, each line", "us", each, goal=Goal("ours", LIMIT_US, "us"),
        note=f"processor time; the slope from 1 to {count} lines, reading and printing JSON included",
    )  # fmt: skip


def _ours(file: Path, env: dict[str, str]) -> Program:
    return Program([SKYX, "-o", "json", "classify", ONE_CLOUD, str(file)], env)
