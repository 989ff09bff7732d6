"""What a plan left out and why: each reason once, long lists as their first few and a count."""

from __future__ import annotations

from collections.abc import Iterable

from skyx_core.models import WhyNot

EXAMPLES = 3  # of one reason, named in full
_MOST_REASONS = 50  # of one cloud
_MOST_KNOWN = 10_000  # subjects of one reason that are told apart


class _Reason:
    """One reason of one cloud, and whom it concerns."""

    def __init__(self) -> None:
        self.first: list[WhyNot] = []
        self.count = 0
        self._known: set[str] = set()

    def add(self, why: WhyNot) -> None:
        if why.subject in self._known:
            return
        if len(self._known) < _MOST_KNOWN:
            self._known.add(why.subject)
        self.count += 1
        if len(self.first) < EXAMPLES:
            self.first.append(why)


class LeftOut:
    """Grows while a plan is drawn; memory is bounded whatever plugins say."""

    def __init__(self) -> None:
        self._clouds: dict[str, dict[tuple[str, str], _Reason]] = {}
        self._unnamed: dict[str, int] = {}

    def add(self, cloud: str, reasons: Iterable[WhyNot]) -> None:
        """Note ``reasons``; a repetition changes nothing."""
        known = self._clouds.setdefault(cloud, {})
        for why in reasons:
            key = (why.reason, why.fix)
            if key not in known:
                if len(known) >= _MOST_REASONS:
                    self._unnamed[cloud] = self._unnamed.get(cloud, 0) + 1
                    continue
                known[key] = _Reason()
            known[key].add(why)

    def all(self) -> list[WhyNot]:
        """In the order in which they came up, cloud by cloud."""
        found: list[WhyNot] = []
        for cloud, reasons in self._clouds.items():
            for (text, fix), reason in reasons.items():
                found += reason.first
                if reason.count > len(reason.first):
                    more = f"and {reason.count - len(reason.first)} more: {text}"
                    found.append(WhyNot(subject=cloud, reason=more, fix=fix))
            if cloud in self._unnamed:
                found.append(WhyNot(subject=cloud, reason=f"and {self._unnamed[cloud]} more, for other reasons"))
        return found
