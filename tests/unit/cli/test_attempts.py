"""The table at the end of a launch that found nothing."""

from __future__ import annotations

from cli_fakes import FakeSession, skyx
from skyx_core.cli.attempts import attempts_table
from skyx_core.errors import NoCapacityError

HINT = "relax the request, or keep trying with --retry-until-up"


def zone_rows(region: str, zones: str, reason: str = "sold out", hint: str = "") -> list[tuple[str, str, str, str]]:
    return [(f"aws/{region}/{region}{zone}", "H100:8", reason.format(zone=f"{region}{zone}"), hint) for zone in zones]


def test_one_attempt_is_shown_whole_without_an_empty_column() -> None:
    assert attempts_table([("aws/east/east-a", "H100:8", "sold out", "")]) == [
        "INFRA            RESOURCES  REASON",
        "aws/east/east-a  H100:8     sold out",
    ]


def test_three_different_attempts_are_three_rows_with_their_hints() -> None:
    rows = [("a/r", "H100:8", "quota", "ask for more"), ("b/r", "H100:8", "sold out", ""), ("c", "H100:4", "quota", "")]
    lines = attempts_table(rows)
    assert [line.split()[0] for line in lines] == ["INFRA", "a/r", "b/r", "c"]
    assert lines[1].endswith("ask for more")


def test_zones_that_say_the_same_are_one_row() -> None:
    rows = zone_rows("us-east-1", "abcdef") + zone_rows("us-west-2", "abcdef") + [("gcp/x/y", "H100:8", "quota", "")]
    lines = attempts_table(rows)
    assert lines[1].startswith("aws/us-east-1 (6 zones)  H100:8     sold out")
    assert lines[2] == "aws/us-west-2 (6 zones)"
    assert lines[3].split()[:2] == ["gcp/x/y", "H100:8"]
    assert len(lines) == 4


def test_a_reason_that_names_its_own_zone_is_the_same_reason() -> None:
    lines = attempts_table(zone_rows("east-1", "ab", "no room for 2 x m4 in {zone} (east-1)"))
    assert lines[1].split("H100:8")[1].strip() == "no room for 2 x m4 in <zone> (<region>)"
    single = attempts_table(zone_rows("east-1", "a", "no room in {zone}, not in east-10"))
    assert "no room in east-1a, not in east-10" in single[1]


def test_the_same_place_tried_again_is_counted() -> None:
    assert "aws/e/ea (3 times)" in attempts_table([("aws/e/ea", "m4", "sold out", "")] * 3)[1]


def test_many_regions_become_a_number() -> None:
    rows = [row for number in range(12) for row in zone_rows(f"r{number}-", "abc")]
    lines = attempts_table(rows)
    assert len(lines) == 2
    assert lines[1].startswith("aws (12 regions, 36 zones)")


def test_long_reasons_are_wrapped_and_nothing_is_lost() -> None:
    reason = " ".join(f"word{number}" for number in range(60)) + " " + "x" * 200
    lines = attempts_table([("aws/east/east-a", "H100:8 p5.48xlarge", reason, "h " * 40)])
    assert max(map(len, lines)) <= 124
    for number in range(60):
        assert sum(line.count(f"word{number} ") for line in [f"{line} " for line in lines]) == 1
    assert sum(line.count("x") for line in lines[1:]) == 200 + 1  # and that of p5.48xlarge


def test_what_would_act_on_a_terminal_is_written_out() -> None:
    assert "\x1b" not in "\n".join(attempts_table([("a\x1b[2J/b", "m4", "r\x1b]0;x\x07", "")]))


def test_five_hundred_attempts_fit_on_a_screen_and_are_all_in_the_json() -> None:
    same = zone_rows("us-east-1", "abcdef") * 40
    different = [(f"gcp/r{number}", "H100:8", f"error {number}", "") for number in range(260)]
    error = NoCapacityError("no capacity was found", where="c", attempts=[*same, *different], hint=HINT)
    result = skyx("launch", "-y", "-o", "json", "true", session=FakeSession(raises=error))
    text = result.err[: result.err.index('{"error"')]
    assert len(text.splitlines()) < 60
    assert "aws/us-east-1 (6 zones)" in text
    assert "... and 221 more" in text
    assert text.strip().splitlines()[-1].strip() == f"hint:  {HINT}"  # then how to go on
    assert len(result.error["attempts"]) == 500
    assert result.error["attempts"][-1]["reason"] == "error 259"


def test_reasons_are_never_cut_in_the_json() -> None:
    error = NoCapacityError("n", attempts=[("a/b", "m4", "long " * 500, "")])
    result = skyx("launch", "-y", "-o", "json", "true", session=FakeSession(raises=error))
    assert result.error["attempts"][0]["reason"] == "long " * 500
