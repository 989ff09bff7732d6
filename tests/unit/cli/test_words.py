"""From words to tasks: what is a file, what is a command, and what the node gets to run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli_fakes import FakeSession, skyx
from skyx_core.cli.words import command_line


@pytest.mark.parametrize("word", ["tsk.yaml", "tsk.yml", "no/such/TASK.YAML"])
@pytest.mark.parametrize("command", [["launch", "-y"], ["exec", "a"], ["plan"]])
def test_a_word_that_ends_in_yaml_is_a_file_and_never_run(word: str, command: list[str], tmp_path: Path) -> None:
    session = FakeSession()
    result = skyx(*command, word, session=session, cwd=tmp_path)
    assert result.code == 2
    assert word in result.err
    assert not session.calls


@pytest.mark.parametrize(
    "text",
    [
        "run: a\n\tx: b\n",
        "resource: {cpus: 1}\n",
        "resources: {accelerator: T4}\n",
        "num_nodes: '2'\n",
        "num_nodes: 0\n",
        "num_nodes: 2.5\n",
        "run: [a, b]\n",
        "- run\n",
        "",
        "run: a\nrun: b\n",
        "resources: {cpus: -1}\n",
        "resources: {infra: aws/us-east-1, cloud: gcp}\n",
        "resources: {any_of: [{cpus: 1}], ordered: [{cpus: 2}]}\n",
        "envs: {A-B: x}\n",
        "resources: {ports: 70000}\n",
    ],
)
def test_a_mistaken_file_ends_with_2_and_nothing_is_called(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(text)
    session = FakeSession()
    result = skyx("launch", "-y", "-o", "json", "t.yaml", session=session, cwd=tmp_path)
    assert (result.code, result.out, session.calls) == (2, "", [])
    assert result.error["code"] == "SKYX-E210"
    assert result.error["problems"]


def test_a_command_with_blanks_that_ends_in_yaml_is_a_command() -> None:
    session = FakeSession()
    assert skyx("exec", "a", "cat x.yaml", session=session).code == 0
    assert session.called("exec")["task"].run == "cat x.yaml"


def test_a_file_and_more_words_is_refused() -> None:
    result = skyx("launch", "-y", "t.yaml", "more")
    assert result.code == 2
    assert "more" in result.err


def test_dash_reads_the_task_from_stdin() -> None:
    session = FakeSession()
    assert skyx("launch", "-y", "-", session=session, stdin=b"run: from stdin\n").code == 0
    assert session.called("launch")["task"].run == "from stdin"


@pytest.mark.parametrize(
    ("words", "run"),
    [
        (["echo hi; exit 3"], "echo hi; exit 3"),
        (["echo", "hi", "there"], "echo hi there"),
        (["--", "ls", "-l"], "ls -l"),
        (["--", "python", "-c", "print('a b')"], "python -c 'print('\"'\"'a b'\"'\"')'"),
        (["FOO=1", "python", "x.py"], "FOO=1 python x.py"),
        (["echo", "$HOME", "~/x", "*.py"], "echo $HOME ~/x *.py"),
        (["--", "bash", "-c", "echo $A; exit 3"], "bash -c 'echo $A; exit 3'"),
    ],
)
@pytest.mark.parametrize("command", [["launch", "-y"], ["exec", "a"]])
def test_commands_of_one_and_of_several_words(command: list[str], words: list[str], run: str) -> None:
    session = FakeSession()
    assert skyx(*command, *words, session=session).code == 0
    assert session.called(command[0])["task"].run == run


def test_flags_of_a_command_need_dashes_and_the_error_says_so() -> None:
    result = skyx("exec", "a", "ls", "--full-time")
    assert result.code == 2
    assert "put -- before" in result.err


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), min_size=1))
def test_any_command_reaches_the_task_unchanged(text: str) -> None:
    if not text.strip():
        return
    session = FakeSession()
    assert skyx("exec", "a", "--", text, session=session).code == (2 if text.lower().endswith((".yaml", ".yml")) else 0)
    if session.calls:
        assert session.called("exec")["task"].run == text


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(alphabet="ab '\"\\;&|()<>#!-=\n", min_size=1, max_size=6), min_size=1, max_size=4))
def test_bash_sees_the_words_that_were_typed(words: list[str]) -> None:
    line = command_line(["printf", "%s\\0", *words])
    seen = subprocess.run(["bash", "-c", line], capture_output=True, check=True, timeout=10).stdout
    assert seen.decode().split("\0")[:-1] == words


@pytest.mark.parametrize("odd", ["\0", "\udcff"])
def test_what_no_process_or_task_can_carry_is_refused(odd: str) -> None:
    session = FakeSession()
    result = skyx("launch", "-y", f"echo {odd}", session=session)
    assert (result.code, session.calls) == (2, [])
    assert "The command holds" in result.err
