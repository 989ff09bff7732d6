"""The user's own error rules: what they may say, and that each mistake is told with its line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from skyx_core.errors import SettingsError
from skyx_core.models import Category, ErrorRule, Scope
from skyx_core.settings.rules_file import read_rules

RULE = "rules:\n  - code: SoldOut\n    category: capacity\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.yaml"


def rules_of(file: Path, text: str, cloud: str = "aws") -> tuple[ErrorRule, ...]:
    file.write_text(text)
    return read_rules(file).table(cloud).rules


def mistakes_of(file: Path, text: str | bytes) -> list[str]:
    """``line:column: what``, one per mistake."""
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError) as caught:
        read_rules(file)
    assert caught.value.where == str(file)
    assert caught.value.hint
    lines = caught.value.why.splitlines()
    assert all(line.startswith(str(file)) for line in lines)
    return [line.removeprefix(f"{file}:") for line in lines]


def test_mistakes_stand_in_the_order_of_the_file(file: Path) -> None:
    text = """
rules:
  - id: a
    hnt: x
    block: nowhere
    code: "("
    ttl: never
    category: none
  - 5
other: 1
"""
    lines = [int(line.partition(":")[0]) for line in mistakes_of(file, text)]
    assert lines == sorted(lines)
    assert {4, 5, 6, 7, 8, 9, 10} <= set(lines)


@pytest.mark.parametrize("text", [None, "", "# nothing yet\n", "rules:\n", "rules: []\n"])
def test_no_file_or_an_empty_one_has_no_rules(file: Path, text: str | None) -> None:
    if text is not None:
        file.write_text(text)
    assert read_rules(file).rules == ()


def test_a_whole_rule_is_read_as_it_is_written(file: Path) -> None:
    (rule,) = rules_of(
        file,
        """
        rules:
          - id: my.sold-out
            cloud: aws
            code: Insufficient.*
            message: no (?P<places>\\S+) left
            operation: RunInstances
            status: 503
            kind: event
            region: us-.*
            instance_type: p[45].*
            use_spot: true
            zone: true
            accelerators: true
            category: capacity
            block: none
            block_after: instance_type_in_region
            ttl: 30m
            retry: {max: 2, wait: 1m, growth: 2}
            nodes_may_exist: false
            hint: ask in {region}
            source: seen on a Monday
        """,
    )
    assert rule.id == "my.sold-out"
    assert (rule.category, rule.block, rule.block_after) == (
        Category.CAPACITY,
        Scope.NONE,
        Scope.INSTANCE_TYPE_IN_REGION,
    )
    assert rule.ttl == 1800
    assert rule.retry is not None
    assert (rule.retry.max, rule.retry.wait, rule.retry.growth) == (2, 60, 2)
    assert (rule.status, rule.use_spot, rule.zone, rule.accelerators, rule.nodes_may_exist) == (
        503,
        True,
        True,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("cloud", "met"),
    [("aws", ["aws"]), ("[aws, gcp]", ["aws", "gcp"]), ("'*'", ["aws", "gcp", "x"]), (None, ["aws", "x"])],
)
def test_a_rule_is_for_one_cloud_for_several_or_for_all(file: Path, cloud: str | None, met: list[str]) -> None:
    text = RULE + (f"    cloud: {cloud}\n" if cloud else "")
    for name in ("aws", "gcp", "x"):
        expected = 1 if name in met or cloud is None else 0
        assert len(rules_of(file, text, name)) == expected


def test_rules_keep_their_order_and_get_a_name_if_they_have_none(file: Path) -> None:
    text = RULE + "  - {id: mine, message: quota, category: quota}\n  - {status: 500, category: transient}\n"
    assert [rule.id for rule in rules_of(file, text)] == ["user.1", "mine", "user.3"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("300", 300), ("0", 0), ("1.5", 1.5), ("30s", 30), ("10m", 600), ("2h", 7200), ("1.5 h", 5400),
        ("30d", 2_592_000),
        ("'45'", 45), ("until_fixed", "until_fixed"), ("null", None),
    ],
)  # fmt: skip
def test_durations(file: Path, text: str, seconds: float | str | None) -> None:
    assert rules_of(file, f"{RULE}    ttl: {text}\n")[0].ttl == seconds


@pytest.mark.parametrize("text", ["-1", "5 weeks", "1h30m", ".nan", ".inf", "31d", "1e30", "[1]", "true", "''", "m"])
def test_durations_that_are_none(file: Path, text: str) -> None:
    (mistake,) = mistakes_of(file, f"{RULE}    ttl: {text}\n")
    assert mistake.startswith("4:5: rules.0.ttl: must be seconds or a text such as 30s, 10m or 2h, or until_fixed")


@pytest.mark.parametrize("text", ["2h", "until_fixed", "-1", "soon"])
def test_pauses_that_are_none(file: Path, text: str) -> None:
    (mistake,) = mistakes_of(file, f"{RULE}    retry: {{max: 2, wait: {text}}}\n")
    assert mistake.startswith("4:21: rules.0.retry.wait: must be seconds or a text")
    assert "an hour at most" in mistake


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rule: []", "1:1: rule: is unknown here (did you mean 'rules'?)"),
        ("rules: 5", "1:1: rules: must be a list of rules"),
        ("rules: {code: A}", "1:1: rules: must be a list of rules"),
        ("- code: A", "1:1: must be a mapping of settings"),
        ("rules:\n  - 5\n", "2:5: rules.0: rule 1 must be a mapping"),
        (RULE + "  - null\n", "4:5: rules.1: rule 2 must be a mapping"),
        ("rules:\n  - category: capacity\n", "2:5: rules.0: a rule needs a code, a message,"),
        ("rules:\n  - id: x\n    code: A\n", "2:5: rules.0.id: a rule needs a category"),
        (RULE + "    colour: red\n", "4:5: rules.0.colour: is unknown here (did you mean 'cloud'?)"),
        (RULE + "    block: zoen\n", "(did you mean 'zone'?)"),
        (RULE + "    block_after: [zone]\n", "4:5: rules.0.block_after: must be one of none, zone,"),
        ("rules:\n  - code: A\n    category: capacty\n", "(did you mean 'capacity'?)"),
        ("rules:\n  - code: '['\n    category: quota\n", "2:5: rules.0.code: is a bad regular expression: unt"),
        ("rules:\n  - code: 'a(b'\n    category: quota\n", "at character 2 of 'a(b'"),
        ("rules:\n  - message: '(?P<x>a)(?P<x>b)'\n    category: quota\n", "2:5: rules.0.message: is a bad regular"),
        ("rules:\n  - code: 5\n    category: quota\n", "2:5: rules.0.code: must be a regular expression"),
        ("rules:\n  - code: 2020-01-01\n    category: quota\n", "2:5: rules.0.code: '2020-01-01' is read as a date"),
        (RULE + "    cloud: []\n", "4:5: rules.0.cloud: must be the name of a cloud, or a list of names"),
        (RULE + "    cloud: [a, 5]\n", "4:5: rules.0.cloud: must be the name of a cloud, or a list of names"),
        (RULE + "    id: [a]\n", "4:5: rules.0.id: must be a text"),
        (RULE + "    status: soon\n", "4:5: rules.0.status: must be a whole number"),
        (RULE + "    status: true\n", "4:5: rules.0.status: must be a whole number, such as 503"),
        (RULE + "    use_spot: 'yes'\n", "4:5: rules.0.use_spot: must be true or false, without quotes"),
        (RULE + "    abort: 'yes'\n", "4:5: rules.0.abort: must be true or false, without quotes"),
        (RULE + "    abort: null\n", "4:5: rules.0.abort: must be true or false"),
        (RULE + "    nodes_may_exist: 0\n", "4:5: rules.0.nodes_may_exist: must be true or false"),
        (RULE + "    block: null\n", "4:5: rules.0.block: must be one of none, zone,"),
        ("rules:\n  - code: A\n    category: null\n", "3:5: rules.0.category: must be one of capacity,"),
        (RULE + "    block_after: zone\n", "4:5: rules.0.block_after: needs retry: {max: 3, wait: 10s}"),
        (RULE + "    retry: {max: true, wait: 1}\n", "4:13: rules.0.retry.max: must be a whole number"),
        (RULE + "    ttl: \u0663\u0660m\n", "4:5: rules.0.ttl: must be seconds or a text"),
        (RULE + "    id: core.timeout\n", "4:5: rules.0.id: mustn't begin with core. or default."),
        (RULE + "    id: default.x\n", "4:5: rules.0.id: mustn't begin with core. or default."),
        (RULE + "    id: a\n  - {id: a, code: B, category: quota}\n", "5:6: rules.1.id: rule 1 has the id 'a' too"),
        (RULE + "  - {id: user.1, code: B, category: quota}\n", "4:6: rules.1.id: rule 1 has the id 'user.1' too"),
        ("rules:\n  - {id: user.2, code: B, category: quota}\n  - {code: C, category: quota}", "3:5: rules.1: rule 1"),
        (RULE + "    message: (a+)+b\n", "4:5: rules.0.message: can take forever to search: '(a+)+b' repeats a rep"),
        (RULE + "    hint: [a]\n", "4:5: rules.0.hint: input should be a valid string"),
        (RULE + "    retry: 3\n", "4:5: rules.0.retry: input should be a valid mapping of max and wait"),
        (RULE + "    retry: {max: 2}\n", "4:5: rules.0.retry: needs wait"),
        (RULE + "    retry: {max: 0, wait: 1}\n", "4:13: rules.0.retry.max: input should be greater than"),
        (RULE + "    retry: {max: 1, wait: 1, wiat: 2}\n", "4:30: rules.0.retry.wiat: is unknown"),
        (RULE + "    abort: true\n    block: zone\n", "4:5: rules.0.abort: abort ends the launch"),
        (RULE + "    code: Twice\n", "4:5: rules.0.code: is given twice"),
        (RULE + "   hint: x\n", "4:4: is not YAML:"),
    ],
)  # fmt: skip
def test_each_mistake_is_told_with_its_line_and_column(file: Path, text: str, expected: str) -> None:
    mistakes = mistakes_of(file, text)
    assert any(expected in mistake for mistake in mistakes), mistakes
    assert all(mistake.split(":")[0].isdigit() and mistake.split(":")[1].isdigit() for mistake in mistakes)


def test_all_mistakes_are_told_at_once(file: Path) -> None:
    text = "rulse: x\nrules:\n  - {code: '[', category: quota}\n  - {code: B, category: qouta, ttl: long}\n"
    assert [mistake.split(": ")[0] for mistake in mistakes_of(file, text)] == ["1:1", "3:6", "4:15", "4:32"]


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe\x00", b"rules:\n  - code: \xff\n", b"[" * 5000, b"&a [*a]", b"!!python/none", b"x" * 300_000]
)
def test_what_is_no_such_file_at_all_is_one_clear_error(file: Path, raw: bytes) -> None:
    assert len(mistakes_of(file, raw)) == 1


def test_a_folder_or_an_unreadable_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="1 mistake"):
        read_rules(tmp_path)


def test_links_in_a_circle_are_said_and_a_link_to_nothing_is_no_file(file: Path) -> None:
    file.symlink_to(file)
    with pytest.raises(SettingsError) as caught:
        read_rules(file)
    assert caught.value.why.endswith("can't be read: Too many levels of symbolic links")
    file.unlink()
    file.symlink_to(file.parent / "nothing")
    assert read_rules(file).rules == ()


def test_what_may_be_left_out_may_be_null(file: Path) -> None:
    names = ("code_in_text", "use_spot", "zone", "accelerators", "block_after", "status", "ttl", "retry", "cloud", "id")
    assert rules_of(file, RULE + "".join(f"    {name}: null\n" for name in names)) == rules_of(file, RULE)


def test_a_cloud_that_nothing_knows_is_doubtful_and_no_mistake(file: Path) -> None:
    file.write_text(f"{RULE}    cloud: [aws, asw]\n  - {{code: A, category: quota, cloud: qqq}}\n{RULE[7:]}")
    rules = read_rules(file)
    assert len(rules.rules) == 3
    assert list(rules.doubts(["gcp", "aws"])) == [
        f"{file}:4: no driver and no rules for a cloud named 'asw' are installed (did you mean 'aws'?)",
        f"{file}:5: no driver and no rules for a cloud named 'qqq' are installed",
    ]
