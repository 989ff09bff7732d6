"""``python -m benchmarks``: measures, and prints each figure beside its floor and its peer."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from benchmarks import catalogue, plot, report
from benchmarks.pairs import LEAST_ROUNDS
from benchmarks.peers import InstalledPeers
from benchmarks.places import REPOSITORY, scratch
from benchmarks.rows import Row, Run

LAST = REPOSITORY / "docs" / "benchmarks" / "results.json"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument(
        "--only", metavar="NAME", action="append", choices=catalogue.names(), help="run this one; repeat for more"
    )
    made.add_argument("--json", metavar="FILE", type=Path, help="write the figures to a file too")
    made.add_argument("--quick", action="store_true", help="small sizes and 5 pairs; for a look while working")
    made.add_argument("--rounds", type=int, default=9, help="pairs per figure, at least 5 (default 9)")
    made.add_argument("--list", action="store_true", help="name the benchmarks and end")
    made.add_argument(
        "--plot", metavar="FILE", type=Path, nargs="?", const=LAST, help="draw docs/benchmarks/*.svg from a --json file"
    )
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """0, or 1 if a benchmark could not be run. A goal that is missed is told, and is no error."""
    given = parser().parse_args(argv)
    if given.list:
        print("\n".join(f"{name:18} {about}" for name, about in catalogue.about()))
        return 0
    if given.plot:
        return plot.main(given.plot)
    rounds = LEAST_ROUNDS if given.quick else max(LEAST_ROUNDS, given.rounds)
    rows, failures = measure(given.only or catalogue.names(), rounds, quick=given.quick)
    print("\n".join(report.lines(rows)))
    for name, why in failures.items():
        print(f"{name} could not be run: {why}", file=sys.stderr)
    if given.json:
        given.json.write_text(report.as_json(rows, failures, quick=given.quick, rounds=rounds))
    return 1 if failures else 0


def measure(names: Sequence[str], rounds: int, *, quick: bool) -> tuple[list[Row], dict[str, str]]:
    """Each benchmark in folders of its own; one that fails does not keep the others from running."""
    rows: list[Row] = []
    failures: dict[str, str] = {}
    peers = InstalledPeers(os.environ.get("SKYX_BENCH_PEERS"))
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        try:
            with scratch() as made:
                rows += catalogue.benchmark(name)(Run(made, peers, rounds, quick))
        except Exception as error:
            traceback.print_exc()
            failures[name] = f"{type(error).__name__}: {error}"
    return rows, failures


if __name__ == "__main__":
    sys.exit(main())
