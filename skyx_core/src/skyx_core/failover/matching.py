"""Which rule of a table an error meets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from skyx_core.errors import CloudError, CloudErrorDetail
from skyx_core.failover.codes_in_text import codes_in
from skyx_core.failover.needles import folded, needles
from skyx_core.models import Candidate, ErrorRule, Place, RuleTable

_KNOWN_AT_MOST = 4096
_END_AT_MOST = 4_000  # of a message, at each of its ends, where rules look
_CODE_AT_MOST = 500
_NO_GROUPS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that an error met, and what its message's groups hold."""

    rule: ErrorRule
    leaf: CloudErrorDetail
    groups: Mapping[str, str]


class _Row:
    """One rule with its patterns; the message's is compiled when a text may match."""

    __slots__ = ("_pattern", "code", "needles", "number", "picky", "rule", "status")

    def __init__(self, number: int, rule: ErrorRule) -> None:
        self.number, self.rule, self.status = number, rule, rule.status
        self.code = None if rule.code is None else re.compile(rule.code)
        self.needles = None if rule.message is None else needles(rule.message)
        picky = (rule.operation, rule.kind, rule.region, rule.instance_type, rule.use_spot, rule.zone)
        self.picky = any(each is not None for each in (*picky, rule.accelerators))
        self._pattern: re.Pattern[str] | None = None

    def search(self, text: str) -> re.Match[str] | None:
        """Where the message's pattern matches, if the rule has one."""
        if self._pattern is None:
            self._pattern = re.compile(self.rule.message or "", re.IGNORECASE | re.DOTALL)
        return self._pattern.search(text)


class Matcher:
    """Finds the first rule of a table that an error meets. Thread-safe.

    Rules that go by a code are found by it, and remembered; messages are searched only where a text that every match
    must hold is there.
    """

    def __init__(self, table: RuleTable) -> None:
        rules = (rule for rule in table.rules if not _matches_everything(rule))
        self._rows = tuple(_Row(number, rule) for number, rule in enumerate(rules))
        self._wrappers = re.compile("|".join(f"(?:{text})" for text in table.wrappers) or r"(?!)")
        self._by_code: dict[str, tuple[_Row, ...]] = {}
        self._in_text: dict[str, tuple[_Row, ...]] = {}
        self._joined: dict[tuple[str, ...], tuple[_Row, ...]] = {}

    @cached_property
    def _spelled(self) -> tuple[_Row, ...]:
        """Rules whose code is looked for in texts."""
        return tuple(row for row in self._rows if row.code is not None and row.rule.code_in_text)

    @cached_property
    def _any_spelled(self) -> re.Pattern[str]:
        """All their codes, so that other words are passed over at once."""
        try:
            return re.compile("|".join(f"(?:{row.rule.code})" for row in self._spelled) or r"(?!)")
        except re.error:  # one of them can't stand within another pattern
            return re.compile(".*")

    def first(self, leaf: CloudErrorDetail, error: CloudError, place: Place, candidate: Candidate) -> Hit | None:
        """The first rule that fits one error of an answer."""
        text = _ends(leaf.message)
        low = folded(text)
        status = leaf.status or error.status
        for row in self._meeting(leaf.code[:_CODE_AT_MOST], text):
            found = None
            if row.needles is not None:
                for needle in row.needles:
                    if needle in low:
                        break
                else:
                    continue
                found = row.search(text)
                if found is None:
                    continue
            if row.status is not None and row.status != status:
                continue
            if row.picky and not _fits(row.rule, leaf, error, place, candidate):
                continue
            return Hit(row.rule, leaf, _named(found))
        return None

    def _meeting(self, code: str, text: str) -> Sequence[_Row]:
        """The rules that a code meets; where it says nothing, those too that a code in the text meets."""
        bare = not code or self._wrappers.fullmatch(code) is not None
        if not bare or not self._spelled:
            return self._of_code(code)
        told = tuple(sorted(word for word in codes_in(text) if self._of_word(word)))
        own = ("", code) if code else ("",)
        if not told and not code:
            return self._of_code("")
        known = self._joined.get(own + told)
        if known is None:
            rows = [row for each in own for row in self._of_code(each)]
            rows += [row for word in told for row in self._of_word(word)]
            known = tuple(sorted(dict.fromkeys(rows), key=lambda row: row.number))
            if len(self._joined) < _KNOWN_AT_MOST:
                self._joined[own + told] = known
        return known

    def _of_code(self, code: str) -> tuple[_Row, ...]:
        known = self._by_code.get(code)
        if known is None:
            known = tuple(row for row in self._rows if row.code is None or row.code.fullmatch(code))
            if len(self._by_code) < _KNOWN_AT_MOST:
                self._by_code[code] = known
        return known

    def _of_word(self, word: str) -> tuple[_Row, ...]:
        known = self._in_text.get(word)
        if known is None:
            met = self._any_spelled.fullmatch(word) is not None
            known = tuple(row for row in self._spelled if row.code and row.code.fullmatch(word)) if met else ()
            if len(self._in_text) < _KNOWN_AT_MOST:
                self._in_text[word] = known
        return known


def _matches_everything(rule: ErrorRule) -> bool:
    """Such a rule matches nothing instead."""
    return rule.code is None and rule.message is None and rule.status is None and rule.kind is None


def _ends(text: str) -> str:
    """A text, without the middle of a huge one."""
    return text if len(text) <= 2 * _END_AT_MOST else f"{text[:_END_AT_MOST]}\n{text[-_END_AT_MOST:]}"


def _named(found: re.Match[str] | None) -> Mapping[str, str]:
    if found is None or not found.re.groupindex:
        return _NO_GROUPS
    return {name: text for name, text in found.groupdict().items() if text}


def _fits(rule: ErrorRule, leaf: CloudErrorDetail, error: CloudError, place: Place, candidate: Candidate) -> bool:
    """What a rule asks besides code, message and status."""
    facts = (
        (rule.use_spot, candidate.use_spot),
        (rule.zone, bool(place.zones)),
        (rule.accelerators, bool(candidate.accelerators)),
    )
    if any(wanted is not None and wanted != is_so for wanted, is_so in facts):
        return False
    texts = (
        (rule.operation, error.operation),
        (rule.kind, leaf.data.get("kind") or error.data.get("kind", "")),
        (rule.region, place.region),
        (rule.instance_type, candidate.instance_type),
    )
    return all(wanted is None or re.fullmatch(wanted, text) for wanted, text in texts)
