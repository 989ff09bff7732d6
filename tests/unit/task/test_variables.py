"""Variables: their values arrive as written, in substitution, in env files and through YAML."""

from __future__ import annotations

import pytest

from skyx_core.task import Storage, Task, loads, parse_env_file

ODD = {
    "P": 'a"b',
    "J": '{"k": 1}',
    "W": "C:\\new",
    "M": "l1\nl2",
    "Q": "it's $HOME `x` !",
    "E": "",
    "U": "ü😀",
    "D": "$P ${J}",
    "T": "a\tb\rc\u2028d\x85e",
}


def test_values_are_the_text_that_yaml_shows() -> None:
    text = (
        "envs: {A: true, B: no, C: 010, D: 1.10, E: 1e3, F: 2024-01-02, G: 12:30, H: null, I: '', J: 'null', NO: 1}\n"
    )
    assert loads(text).tasks[0].envs == {
        "A": "true",
        "B": "no",
        "C": "010",
        "D": "1.10",
        "E": "1e3",
        "F": "2024-01-02",
        "G": "12:30",
        "H": None,
        "I": "",
        "J": "null",
        "NO": "1",
    }


def test_values_given_from_python_are_written_as_yaml_does() -> None:
    assert Task(envs={"A": True, "B": 3, "C": 1.5, "D": None}).envs == {"A": "true", "B": "3", "C": "1.5", "D": None}


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_values_reach_their_places_unchanged(name: str) -> None:
    task = Task(
        envs=ODD,
        workdir=f"/w/${name}",
        file_mounts={"/d": f"/src/${{{name}}}", "/s": {"name": f"x${name}"}},
        service={"readiness_probe": {"path": "/", "post_data": {"m": [f"${name}"]}}},
        resources={"image_id": f"docker:i${name}", "any_of": [{"image_id": f"docker:j${name}"}]},
    )
    value = ODD[name]
    assert task.workdir == f"/w/{value}"
    assert task.file_mounts == {"/d": f"/src/{value}", "/s": Storage(name=f"x{value}")}
    assert task.service is not None
    assert task.service.readiness_probe is not None
    assert task.service.readiness_probe.post_data == {"m": [value]}
    assert task.resources.image_id == f"docker:i{value}".strip()
    again = loads(task.to_yaml()).tasks[0]
    assert again == task
    assert again.envs == ODD


def test_substitution_knows_whole_names_only() -> None:
    text = "envs: {A: 1, AB: 2, N: null}\nworkdir: $A-$AB-${A}B-$ABC-$$A-$N-\\$A\nrun: echo $A\n"
    task = loads(text).tasks[0]
    assert task.workdir == "1-2-1B-$ABC-$1-$N-\\1"
    assert task.run == "echo $A"


def test_substitution_happens_before_validation_and_in_keys() -> None:
    task = loads("envs: {S: gcs, D: /data, M: mount}\nfile_mounts:\n  $D: {store: $S, mode: $M}\n").tasks[0]
    assert task.file_mounts == {"/data": Storage(store="gcs", mode="MOUNT")}


def test_the_command_line_wins_and_fills_in() -> None:
    text = "envs: {A: 1, N: null, M: null}\nsecrets: {T: null}\nworkdir: $A/$N\n"
    task = loads(text, env={"A": "2", "N": "n", "X": "new", "M": None}, secrets={"T": "s"}).tasks[0]
    assert task.workdir == "2/n"
    assert task.envs == {"A": "2", "N": "n", "M": None, "X": "new"}
    assert task.secrets == {"T": "s"}
    assert task.missing_envs() == ("M",)
    assert loads(text).tasks[0].missing_envs() == ("N", "M", "T")


def test_secrets_are_hidden_where_tasks_are_shown() -> None:
    file = loads("secrets: {T: hunter2, N: null}\nenvs: {DB_PASSWORD: hunter2, KEEP: me}\nrun: x\n")
    task = file.tasks[0]
    assert "hunter2" not in task.redacted_yaml()
    assert "KEEP: me" in task.redacted_yaml()
    assert "N: null" in task.redacted_yaml()
    assert "hunter2" in task.to_yaml()
    assert "hunter2" not in repr(Task(secrets={"T": "hunter2"}))
    assert "hunter2" not in repr(loads("secrets: {T: hunter2}\n"))


def test_env_files() -> None:
    text = (
        "\ufeff# comment\n\nexport X=1\nA = b c  # note\nU=http://h/?a=b&c=d#frag\r\nP='a\"b'\n"
        'Q="l1\\nl2 \\"q\\" \\$X"\n'
        "M=\"one\ntwo\"\nS='it''s'\nE=\nW='C:\\new'\n  I=indented\nX=2"
    )
    assert parse_env_file(text) == {
        "X": "2",
        "A": "b c",
        "U": "http://h/?a=b&c=d#frag",
        "P": 'a"b',
        "Q": 'l1\nl2 "q" $X',
        "M": "one\ntwo",
        "S": "'it''s'",
        "E": "",
        "W": "C:\\new",
        "I": "indented",
    }


@pytest.mark.parametrize("size", [90_000, 300_000, 2_000_000])
def test_long_scripts_are_kept_to_the_byte(size: int) -> None:
    odd = "#!/usr/bin/env python3\nprint('\"$`!')\n\tEOF\nEOF\n${VAR} 😀\r\n"
    run = (odd * (size // len(odd) + 1))[:size]
    task = Task(run=run)
    assert loads(task.to_yaml()).tasks[0].run == run
