"""Mistakes in task files: each is named by line, column, path and what was probably meant; all of a file at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from skyx_core.errors import Problem, TaskFileError
from skyx_core.task import load, loads, parse_env_file


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(TaskFileError) as caught:
        loads(text, file="t.yaml")
    assert caught.value.exit_code == 2
    return caught.value.problems


# text, line, column, path, part of the message, suggestion
MISTAKES = [
    ("run: x\nresource:\n  cpus: 2\n", 2, 1, "resource", "unknown field", "resources"),
    ("resources:\n  accelerator: V100\n", 2, 3, "resources.accelerator", "unknown field", "accelerators"),
    ("accelerators: V100\n", 1, 1, "accelerators", "belongs under resources", "resources.accelerators"),
    ("num_nodes: '2'\n", 1, 12, "num_nodes", "expected a whole number, got text '2'", ""),
    ("num_nodes: 0\n", 1, 12, "num_nodes", "at least 1", ""),
    ("num_nodes: 2.5\n", 1, 12, "num_nodes", "whole number", ""),
    ("num_nodes: true\n", 1, 12, "num_nodes", "whole number", ""),
    ("run: [a, b]\n", 1, 6, "run", "expected text, got a list", ""),
    ("- run: a\n", 1, 1, "", "a task is a mapping", ""),
    ("just words\n", 1, 1, "", "a task is a mapping", ""),
    ("", 1, 1, "", "holds no task", ""),
    ("# only this\n---\n", 1, 1, "", "holds no task", ""),
    ("run: a\nrun: b\n", 2, 1, "run", "duplicate key (first on line 1)", ""),
    ("resources:\n  cpus: -1\n", 2, 9, "resources.cpus", "above 0", ""),
    ("resources:\n  cpus: many\n", 2, 9, "resources.cpus", "such as 4", ""),
    ("resources:\n  memory: 4+GB\n", 2, 11, "resources.memory", "such as 8", ""),
    ("resources:\n  infra: x/y\n  cloud: z\n", 3, 10, "resources.cloud", "conflicts with infra 'x/y'", "x"),
    ("resources:\n  infra: x/y/z/w\n", 2, 10, "resources.infra", "cloud/region/zone", ""),
    ("resources:\n  infra: x//y\n", 2, 10, "resources.infra", "cloud/region/zone", ""),
    ("resources:\n  any_of: [{cpus: 1}]\n  ordered: [{cpus: 2}]\n", 3, 12, "resources.ordered", "together", ""),
    ("resources:\n  any_of:\n  - cpus: 1\n  - cpu: 1\n", 4, 5, "resources.any_of[1].cpu", "unknown field", "cpus"),
    ("resources:\n  any_of: {cpus: 1}\n", 2, 11, "resources.any_of", "expected a list", ""),
    ("envs: {A-B: x}\n", 1, 8, "envs.A-B", "letters, digits", "A_B"),
    ("envs:\n  1X: x\n", 2, 3, "envs.1X", "letters, digits", "_1X"),
    ("envs:\n  X: [1]\n", 2, 6, "envs.X", "expected text, got a list", ""),
    ("envs: [X]\n", 1, 7, "envs", "a mapping of names to values", ""),
    ('envs:\n  X: "a\\0b"\n', 2, 6, "envs.X", "NUL", ""),
    ('name: "a\\0b"\n', 1, 7, "name", "NUL", ""),
    ("resources:\n  ports: 70000\n", 2, 10, "resources.ports", "from 1 to 65535", ""),
    ("resources:\n  ports: [80, 0]\n", 2, 15, "resources.ports[1]", "from 1 to 65535", ""),
    ("resources:\n  ports: 9000-8000\n", 2, 10, "resources.ports", "upwards", "8000-9000"),
    ("resources:\n  ports: '80-'\n", 2, 10, "resources.ports", "such as 8080", ""),
    ("resources:\n  disk_size: 100+\n", 2, 14, "resources.disk_size", "exact size", ""),
    ("resources:\n  disk_tier: hihg\n", 2, 14, "resources.disk_tier", "must be one of low", "high"),
    ("resources:\n  use_spot: maybe\n", 2, 13, "resources.use_spot", "true or false", ""),
    ("resources:\n  gpus: H100\n  accelerators: H100\n", 2, 3, "resources.gpus", "means the same", ""),
    ("resources:\n  accelerators: {H100:8: 2}\n", 2, 26, "resources.accelerators.H100:8", "twice", ""),
    ("resources:\n  accelerators: H100:0\n", 2, 17, "resources.accelerators", "above 0", ""),
    ("resources:\n  accelerators: 8\n", 2, 17, "resources.accelerators", "such as H100:8", ""),
    ("resources:\n  cpus: .nan\n", 2, 9, "resources.cpus", "not a finite number", ""),
    ("resources:\n  max_hourly_cost: 0\n", 2, 20, "resources.max_hourly_cost", "above 0", ""),
    ("resources:\n  autostop: -1\n", 2, 13, "resources.autostop", "minutes from 0", ""),
    ("resources:\n  autostop: {idle_minute: 1}\n", 2, 14, "resources.autostop.idle_minute", "unknown", "idle_minutes"),
    ("file_mounts:\n  /a: {mode: MONT}\n", 2, 14, "file_mounts./a.mode", "must be one of", "MOUNT"),
    ("file_mounts:\n  /a: 5\n", 2, 7, "file_mounts./a", "text or a mapping", ""),
    ("workdir: {ref: x}\n", 1, 1, "workdir.url", "required", ""),
    ("name: 5\n", 1, 7, "name", "expected text", ""),
    ("resources:\n\tcpus: 2\n", 2, 1, "", "tab", ""),
    ("run: !!python/object/apply:os.system [x]\n", 1, 6, "", "tag", ""),
    ("run: !mine x\n", 1, 6, "run", "tag", ""),
    ("run: *nowhere\n", 1, 6, "", "alias", ""),
    ("a: &a [*a]\n", 1, 4, "", "inside what it names", ""),
    ("run: 'open\n", 2, 1, "", "not YAML", ""),
    ("run: a\x07\n", 1, 7, "", "U+0007", ""),
    ("run: \x00\n", 1, 6, "", "NUL", ""),
    ("? [a]\n: b\n", 1, 3, "", "plain text", ""),
    ("run: x\n---\n" * 199 + "run: x\n", 200, 1, "", "more than 100 documents", ""),
]


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: repr(case[0][:40]))
def test_mistake_is_named_with_its_place(case: tuple[str, int, int, str, str, str]) -> None:
    text, line, column, path, message, suggestion = case
    found = problems(text)
    assert len(found) == 1, found
    assert (found[0].line, found[0].column, found[0].path) == (line, column, path)
    assert message in found[0].message
    assert found[0].suggestion == suggestion


def test_all_mistakes_come_at_once_in_the_order_of_the_file() -> None:
    text = "num_nodes: 0\nrun: x\nrun: y\nresources:\n  cpu: 2\n  ports: [0, 1]\nenvs:\n  A-B: x\n---\nrun: 5\n"
    found = problems(text)
    assert [(p.line, p.path) for p in found] == [
        (1, "num_nodes"),
        (3, "run"),
        (5, "resources.cpu"),
        (6, "resources.ports[0]"),
        (8, "envs.A-B"),
        (10, "run"),
    ]


def test_values_of_secrets_stay_out_of_messages() -> None:
    for value in ("{T: [hunter2]}", "hunter2", "[hunter2]", "{T-U: hunter2}"):
        assert "hunter2" not in str([p.render("f") for p in problems(f"secrets: {value}\n")])


ALIASES = "".join(f"b{i}: &a{i + 1} [{','.join([f'*a{i}'] * 10)}]\n" for i in range(9))


@pytest.mark.parametrize(
    "text",
    [
        "a: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + ALIASES,
        "[" * 100_000,
        "{" * 100_000,
        "a: {" * 1000,
        "- " * 100_000,
        "? " * 100_000,
        "[1,1," * 100_000,
        "".join(f"runn{i}: 1\n" for i in range(9000)),
        "envs: {A: " + "x" * 10**6 + '}\nworkdir: "' + "$A" * 10**5 + '"\n',
        "resources: {ports: [" + "0," * 9000 + "]}\n",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_hostile_text_is_refused_quickly(text: str) -> None:
    began = time.process_time()
    found = problems(text)
    assert time.process_time() - began < 2  # about 0.3 s; room for a busy machine
    assert 0 < len(found) <= 100
    assert found[0].line >= 1


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("run: x\n")
    (tmp_path / "latin.yaml").write_bytes(b"run: x\nname: caf\xe9\n")
    (tmp_path / "huge.yaml").write_bytes(b"# " + b"x" * (10 * 2**20))
    expected = {
        "tsk.yaml": (0, 0, "no such file", str(tmp_path / "task.yaml")),
        ".": (0, 0, "directory", ""),
        "latin.yaml": (2, 10, "not UTF-8", ""),
        "huge.yaml": (1, 1, "larger than 8 MiB", ""),
    }
    for name, (line, column, message, suggestion) in expected.items():
        with pytest.raises(TaskFileError) as caught:
            load(tmp_path / name)
        (problem,) = caught.value.problems
        assert (problem.line, problem.column, problem.suggestion) == (line, column, suggestion)
        assert message in problem.message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_and_line_ends(tmp_path: Path, encoding: str, newline: str) -> None:
    path = tmp_path / "t.yaml"
    path.write_bytes(newline.join(["name: größe 😀", "run: |", "  a", "  b", ""]).encode(encoding))
    task = load(path).tasks[0]
    assert (task.name, task.run) == ("größe 😀", "a\nb\n")


def test_wrong_values_on_the_command_line() -> None:
    with pytest.raises(TaskFileError) as caught:
        loads("run: x\n", env={"A-B": "x", "C": "a\0b"}, secrets={"2D": "y"})
    assert [p.path for p in caught.value.problems] == ["--env A-B", "--env C", "--secret 2D"]


def test_unknown_fields_are_warnings_when_lenient() -> None:
    file = loads("run: x\nnewer: 1\nresources:\n  any_of:\n  - {cpus: 2, faster: true}\n", lenient=True)
    assert file.tasks[0].run == "x"
    assert [(w.line, w.path) for w in file.warnings] == [(2, "newer"), (5, "resources.any_of[0].faster")]
    with pytest.raises(TaskFileError):
        loads("newer: 1\nnum_nodes: 0\n", lenient=True)


def test_env_file_mistakes_name_their_lines() -> None:
    with pytest.raises(TaskFileError) as caught:
        parse_env_file("A=1\nnothing here\nA-B=2\nQ='open\n")
    assert [p.line for p in caught.value.problems] == [2, 3, 4]


def test_two_spellings_of_one_field_hide_no_other_mistake() -> None:
    found = problems("resources:\n  gpus: H100\n  accelerators: H100\n  cpus: -1\n")
    assert [(p.line, p.path) for p in found] == [(2, "resources.gpus"), (4, "resources.cpus")]
