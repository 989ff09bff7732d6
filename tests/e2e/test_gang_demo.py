"""The main job as ``scripts/demo.sh`` runs it, on input that the tests make; its answer is worked out again here."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from cli_process import Cli

ROOT = Path(__file__).parents[2]
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu"]


def write_sources(folder: Path, seed: int) -> None:
    """Seven files, so that the shares of three ranks differ in size."""
    shutil.rmtree(folder, ignore_errors=True)
    for index in range(7):
        path = folder / f"part{index % 3}" / f"m{index}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        times = [(word, (seed * 7 + index * 5 + place * place) % 11 + place) for place, word in enumerate(WORDS)]
        path.write_text("".join(f"{word} = {word} + 1  # {word}\n" * count for word, count in times))


def expected(folder: Path) -> list[tuple[str, int]]:
    """By the syntax tree, where the job goes by tokens: another way to the same answer."""
    counts = Counter(
        node.id
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Name)
    )
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]


def demo(user: Cli, folder: Path) -> str:
    done = subprocess.run(
        [ROOT / "scripts" / "demo.sh", "--env", f"INPUT={folder}"],
        env=user.environ,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer(text: str) -> list[tuple[str, int]]:
    rows = re.findall(r"^\(head, rank=0\) +(\d+) (\w+)$", text, re.M)
    return [(name, int(count)) for count, name in rows]


@pytest.mark.e2e
def test_three_ranks_find_the_answer_and_another_one_on_changed_input(cli, tmp_path):
    folder = tmp_path / "sources"
    write_sources(folder, seed=1)
    first = demo(cli, folder)
    assert answer(first) == expected(folder)
    places = dict(re.findall(r"\brank=(\d) at (127\.[\d.]+:\d+) ", first))
    assert sorted(places) == ["0", "1", "2"]
    addresses = {place.rpartition(":")[0] for place in places.values()}
    assert len(addresses) == 3
    assert {place.rpartition(":")[2] for place in places.values()} == {"29500"}

    before = expected(folder)
    write_sources(folder, seed=4)
    assert expected(folder) != before
    second = demo(cli, folder)
    assert answer(second) == expected(folder)
    assert dict(re.findall(r"\brank=(\d) at (127\.[\d.]+:\d+) ", second)) == places  # the same cluster, reused
    cli.ok("down", "demo", "-y")
    assert cli.left() == []
