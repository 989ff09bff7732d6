"""The machinery of the benchmarks: pairing, judging, the table, the file and the plots. No figure is judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY))


def test_contenders_take_turns_and_the_order_is_reversed_each_round():
    from benchmarks.pairs import interleave

    seen: list[str] = []

    def contender(name: str, value: float):
        return lambda: seen.append(name) or value

    series = interleave({"a": contender("a", 6.0), "b": contender("b", 2.0)}, 3, warm=1)
    assert "".join(seen) == "ab" + "ab" + "ba" + "ab"
    assert series.ratio("a", "b") == 3.0
    assert len(series.values["a"]) == 3


def test_a_ratio_is_the_median_of_pairs_and_not_the_ratio_of_medians():
    from benchmarks.pairs import Series

    series = Series({"a": [10, 200, 30], "b": [10, 100, 10]})
    assert series.ratio("a", "b") == 2


def test_a_goal_bounds_the_ratio_or_our_own_figure_and_nothing_unmeasured_is_met():
    from benchmarks.rows import Goal, Row

    row = {"name": "n", "what": "w", "unit": "ms", "ours": 20.0, "floor": 10.0}
    assert Row(**row, ratio=2.0, goal=Goal("ratio", 2)).met is True
    assert Row(**row, ratio=2.1, goal=Goal("ratio", 2)).met is False
    assert Row(**row, goal=Goal("ours", 15, "ms")).met is False
    assert Row(**row, goal=Goal("ratio", 2)).met is None
    assert Row(**row).met is None
    assert Row(**row, peer_goal=30).peer_met is None
    assert Row(**row, peer_goal=30, times_faster=31.0).peer_met is True


def test_a_peer_that_is_not_there_is_said_to_be_so():
    from benchmarks.report import lines
    from benchmarks.rows import Row

    text = "\n".join(lines([Row("n", "w", "ms", 1.0, peer_is="sky --help", note="why")]))
    assert "sky --help: not installed" in text
    assert "n: w: why" in text


def test_peers_are_found_by_their_folder(tmp_path):
    from benchmarks.peers import InstalledPeers

    program = tmp_path / "dask" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.touch()
    assert InstalledPeers(str(tmp_path)).program("dask", "python") == str(program)
    assert InstalledPeers(str(tmp_path)).program("skypilot", "sky") is None
    assert InstalledPeers(None).program("dask", "python") is None


def test_the_peak_memory_of_a_small_program_is_not_that_of_a_large_parent(tmp_path):
    from benchmarks.places import PYTHON
    from benchmarks.processes import ProgramFailedError, spawner

    ballast = bytearray(64 << 20)
    with spawner(tmp_path) as spawn:
        usage = spawn.run([PYTHON, "-c", "print('out')"], {})
        assert spawn.output() == "out\n"
        assert usage.wall_ms > 0
        assert usage.peak_mib < 40
        with pytest.raises(ProgramFailedError, match="ended with 3"):
            spawn.run([PYTHON, "-c", "raise SystemExit(3)"], {})
    assert len(ballast) == 64 << 20


def test_a_result_file_can_be_drawn(tmp_path):
    from benchmarks import plot
    from benchmarks.report import as_json
    from benchmarks.rows import Goal, Row

    rows = [
        Row("a", "<slow>", "ms", 30.0, floor=10.0, ratio=3.0, goal=Goal("ratio", 2)),
        Row("b", "quick", "ms", 3.0, peer=90.0, peer_is="p", times_faster=30.0, peer_goal=20),
    ]
    source = tmp_path / "results.json"
    source.write_text(as_json(rows, {}, quick=True, rounds=5))
    assert plot.main(source, tmp_path) == 0
    for name, label in (("floors.svg", "a: <slow>"), ("peers.svg", "b: quick")):
        texts = [element.text for element in ElementTree.parse(tmp_path / name).iter() if element.tag.endswith("text")]
        assert label in texts
        assert any("cores" in str(text) for text in texts)
    source.write_text("{}")
    assert plot.main(source, tmp_path) == 2


@pytest.mark.e2e
def test_the_program_measures_prints_and_writes(tmp_path):
    target = tmp_path / "out.json"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", "task_load", "--json", str(target)],
        cwd=REPOSITORY,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "task_load" in done.stdout
    rows = json.loads(target.read_text())["rows"]
    assert {row["name"] for row in rows} == {"task_load"}
    assert all(row["ours"] > 0 and row["ratio"] > 0 for row in rows)
