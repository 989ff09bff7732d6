"""How a search ends without a cluster: one error with every attempt in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from skyx_core.errors import (
    CloudCallError,
    CredentialsError,
    NoCapacityError,
    PluginBrokenError,
    SkyxError,
    UsageError,
)
from skyx_core.failover.engine import GiveUp
from skyx_core.models import Block, Candidate, Category, Verdict
from skyx_core.plan.planner import Choice, describe_request
from skyx_core.spans import UNTIL_FIXED, span, until_fixed

Row = tuple[str, str, str, str]


@dataclass
class Findings:
    """What came of everything that was looked at, in order. ``hint_of``: what to do about a block of an earlier launch,
    as far as is known.
    """

    hint_of: Callable[[Block], str] = lambda _: ""
    rows: list[Row] = field(default_factory=list)
    categories: list[Category] = field(default_factory=list)
    last: Verdict | None = None
    _hints: dict[str, str] = field(default_factory=dict)  # by rule, as this search met them

    def note(self, candidate: Candidate, choice: Choice, category: Category, reason: str, hint: str = "") -> None:
        """One row of the table."""
        self.rows.append((candidate.infra(), resources(choice, candidate), reason, hint))
        self.categories.append(category)

    def failed(self, choice: Choice, verdict: Verdict, zones: tuple[str, ...] = ()) -> None:
        """An attempt, or a question, that a verdict was given of."""
        candidate = choice.candidate
        if len(zones) == 1:
            candidate = candidate.model_copy(update={"zone": zones[0]})
        self.note(candidate, choice, verdict.category, verdict.reason, verdict.hint)
        self._hints[verdict.rule] = verdict.hint
        self.last = verdict

    def skipped(self, choice: Choice, block: Block, now: float) -> None:
        """A candidate that was left out for a block of an earlier attempt or launch."""
        self.note(choice.candidate, choice, block.category, *self._blocked(block, choice.candidate.cloud, now))

    def cloud_held(self, cloud: str, block: Block, now: float) -> None:
        """All that was left of a cloud."""
        self.rows.append((cloud, "everything else there", *self._blocked(block, cloud, now)))
        self.categories.append(block.category)

    def _blocked(self, block: Block, cloud: str, now: float) -> tuple[str, str]:
        """Reason and hint."""
        reason, again = f"by {block.rule}: {block.reason}", f"'skyx blocks clear {cloud}'"
        if until_fixed(block.since, block.until, block.fingerprint):
            hint = self._hints.get(block.rule) or self.hint_of(block)
            return f"blocked {UNTIL_FIXED} {reason}", f"{hint}, or {again}" if hint else f"{again} tries it anyway"
        until = "until this launch ends" if block.until is None else f"for {span(block.until - now, up=True)} more"
        return f"blocked {until} {reason}", f"{again} tries it anyway"

    def error(self, end: GiveUp, name: str, now: float) -> SkyxError:
        """What the user is told; the table of everything that was looked at goes with it."""
        error = self._error(end, name, now)
        error.attempts = tuple(self.rows)
        return error

    def _error(self, end: GiveUp, name: str, now: float) -> SkyxError:
        if self.last is not None and self.last.abort:
            return _aborted(self.last, name)
        categories = set(self.categories)
        if categories == {Category.PLUGIN}:
            hint = "'skyx plugins --check' loads each plugin by itself"
            return PluginBrokenError("every plugin that was tried failed", where=name, why=self.rows[-1][2], hint=hint)
        if categories and categories <= {Category.AUTH, Category.PERMISSION}:
            why = "; ".join(dict.fromkeys(f"{infra.split('/')[0]}: {reason}" for infra, _, reason, _ in self.rows))
            hint = self.rows[-1][3] or "skyx check"
            return CredentialsError("no cloud accepted the credentials", where=name, why=why, hint=hint)
        return NoCapacityError(
            "no capacity was found",
            where=name,
            why=end.reason,
            hint=_hint(end, now),
            retry_after=None if end.earliest is None else max(0.0, end.earliest - now),
        )


def _aborted(verdict: Verdict, name: str) -> SkyxError:
    if verdict.category is Category.USER_ERROR:
        return UsageError("the cloud refused the request", where=name, why=verdict.reason, hint=verdict.hint)
    return CloudCallError("no other place can help", where=name, why=verdict.reason, hint=verdict.hint)


def resources(choice: Choice, candidate: Candidate) -> str:
    """What was asked for, and as which type."""
    wanted = describe_request(choice.request)
    return wanted if candidate.instance_type in wanted else f"{wanted} {candidate.instance_type}"


def _hint(end: GiveUp, now: float) -> str:
    soon = f"; the first block ends in {span(end.earliest - now, up=True)}" if end.earliest else ""
    return f"relax the request, or keep trying with --retry-until-up{soon}"
