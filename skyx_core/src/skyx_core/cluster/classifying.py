"""Recorded errors through a cloud's rules, as ``skyx classify`` shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from skyx_core.catalog.near import near
from skyx_core.errors import UsageError
from skyx_core.failover.recorded import BadRecord, answer, parse

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.results import Json


class Classified:
    """An iterator of answers; ``skipped`` and ``problems`` (bad lines, by number) are known at its end."""

    def __init__(self, services: Services, cloud: str, lines: Iterable[str]) -> None:
        books = services.rulebooks
        if not books.known(cloud):
            names = books.names()
            close = near(cloud, names, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are rules for: {', '.join(names) or 'no cloud'}"
            raise UsageError(f"no rules and no driver for a cloud named {cloud!r} are installed", hint=hint)
        self._book = books.of(cloud)
        self._cloud = cloud
        self._lines = lines
        self._now = services.clock.time()
        self.skipped = 0
        self.problems: list[str] = []

    def __iter__(self) -> Iterator[Mapping[str, Json]]:
        for number, line in enumerate(self._lines, 1):
            if not line.strip():
                continue
            try:
                one = parse(line)
            except BadRecord as error:
                self.problems.append(f"line {number}: {error}")
                continue
            if one.cloud != self._cloud:
                self.skipped += 1
                continue
            yield answer(one, self._book.classify(one.error, place=one.place, candidate=one.candidate, now=self._now))
