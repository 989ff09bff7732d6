"""Errors: one block, a code, an exit status, no traceback; and the flags that every command takes."""

from __future__ import annotations

import pytest

from cli_fakes import FakeSession, skyx
from skyx_core import errors
from skyx_core.cli.streams import ReaderGone
from skyx_core.cli.tree import TABLE

CASES = [
    (errors.UsageError("u"), 2),
    (errors.NotFoundError("n"), 3),
    (errors.CredentialsError("c"), 4),
    (errors.NoCapacityError("n", attempts=[("mars/north", "H100:8", "sold out", "try spot")]), 5),
    (errors.BusyError("b"), 6),
    (errors.LeftoverError("l", remaining=["disk-1"]), 7),
    (errors.InterruptedBySignal("i"), 130),
    (errors.PluginBrokenError("p", plugin="mars", distribution="skyx-mars 1.0"), 1),
    (errors.CloudError("mars", "create", "Boom", "it broke"), 1),
    (ZeroDivisionError("a bug"), 1),
]


@pytest.mark.parametrize(("error", "code"), CASES, ids=lambda value: type(value).__name__)
def test_each_error_has_its_exit_code_one_block_and_a_json_object(error: BaseException, code: int) -> None:
    result = skyx("launch", "-y", "-o", "json", "true", session=FakeSession(raises=error))
    assert result.code == code
    assert result.out == ""
    assert "Traceback" not in result.err
    assert result.err.startswith("error[SKYX-E")
    assert result.error["exit_code"] == code
    assert set(result.error) >= {"code", "what", "where", "why", "hint"}


def test_details_are_shown_and_are_data() -> None:
    session = FakeSession(raises=CASES[3][0])
    result = skyx("launch", "-y", "-o", "json", "true", session=session)
    assert "sold out" in result.err
    assert result.error["attempts"] == [
        {"infra": "mars/north", "resources": "H100:8", "reason": "sold out", "hint": "try spot"}
    ]


def test_lines_after_the_first_stand_under_it() -> None:
    error = errors.SettingsError(
        "two mistakes", where="a.yaml", why="a.yaml:1: one\na.yaml:2: two\n", hint="mend\nthem"
    )
    text = skyx("queue", "a", session=FakeSession(raises=error)).err
    shown = "  why:   a.yaml:1: one\n         a.yaml:2: two\n  hint:  mend\n         them\n"
    assert text.endswith(shown)


def test_debug_shows_where_it_was_raised() -> None:
    session = FakeSession(raises=ZeroDivisionError("a bug"))
    assert "Traceback" in skyx("queue", "a", session=session, environ={"SKYX_DEBUG": "1"}).err


def test_an_error_whose_text_cannot_be_made_is_still_reported() -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert skyx("queue", "a", session=FakeSession(raises=Rude())).code == 1


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["lanch"], "'launch'"),
        (["statsu", "-o", "json"], "'status'"),
        (["status", "--refesh"], "--refresh"),
        (["config", "shwo"], "'show'"),
    ],
)
def test_did_you_mean(args: list[str], hint: str) -> None:
    result = skyx(*args)
    assert result.code == 2
    assert hint in result.err


@pytest.mark.parametrize("args", [["queue", "a", "b"], ["logs"], ["launch", "--hedge", "0"], ["-o", "xml", "status"]])
def test_usage_errors_end_with_2(args: list[str]) -> None:
    result = skyx(*args)
    assert result.code == 2
    assert result.err.startswith("error[SKYX-E200]")


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_command_takes_the_common_flags_and_its_summary_is_its_own(name: str) -> None:
    result = skyx(name, "--help")
    assert result.code == 0
    assert result.err == ""
    assert TABLE[name].summary.rstrip(".") in " ".join(result.out.split())
    for flag in ("-o, --output", "--color", "--no-input", "--progress", "--no-plugins"):
        assert flag in result.out


@pytest.mark.parametrize("args", [["-o", "json", "status"], ["status", "-o", "json"]])
def test_output_may_be_chosen_before_or_after_the_command(args: list[str]) -> None:
    assert skyx(*args).json[0]["name"] == "a"


@pytest.mark.parametrize(
    ("flags", "environ", "tty", "coloured"),
    [
        ([], {}, True, True),
        ([], {}, False, False),
        ([], {"NO_COLOR": "1"}, True, False),
        ([], {"FORCE_COLOR": "1"}, False, True),
        (["--color", "always"], {"NO_COLOR": "1"}, False, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, True, False),
        ([], {"SKYX_COLOR": "never"}, True, False),
        ([], {"TERM": "dumb"}, True, False),
    ],
)
def test_when_errors_are_coloured(flags: list[str], environ: dict[str, str], tty: bool, coloured: bool) -> None:
    result = skyx("lanch", *flags, environ={"NO_COLOR": "", **environ}, tty=tty) if not flags else None
    result = result or skyx(*flags, "lanch", environ={"NO_COLOR": "", **environ}, tty=tty)
    assert ("\x1b[" in result.err) is coloured


def test_colour_from_the_settings_file_counts_once_there_is_a_session() -> None:
    session = FakeSession(setting_values={"color": "never"})
    assert "\x1b[" not in skyx("status", session=session, tty=True, environ={"NO_COLOR": ""}).out


def test_a_reader_that_goes_away_is_no_error() -> None:
    session = FakeSession(raises=ReaderGone())
    result = skyx("status", "a", session=session)
    assert (result.code, result.err) == (141, "")


def test_flags_become_settings_and_the_session_is_closed() -> None:
    session = FakeSession()
    skyx("status", "--no-input", "--color", "never", "a", session=session)
    assert session.made_with["flags"] == {"color": "never", "input": False}
    assert session.made_with["scan_plugins"] is False
    assert session.closed == 1
