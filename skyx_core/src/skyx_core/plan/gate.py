"""Clouds that are not drawn from for now: their streams are held, not read to the end."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from skyx_core.plan.ranking import Choice, rank


class Gate:
    """Between the streams of a plan and the one that draws from it, who says which clouds are closed."""

    def __init__(self) -> None:
        self._closed: Callable[[str], bool] = _never
        self._held: list[tuple[str, Iterator[Choice]]] = []
        self._told: set[str] = set()

    def watch(self, closed: Callable[[str], bool]) -> None:
        """``closed(cloud)``: asked before each choice of the cloud."""
        self._closed = closed

    def through(self, cloud: str, stream: Iterator[Choice]) -> Iterator[Choice]:
        """The stream, until the cloud is closed; what is left of it is then held."""
        for choice in stream:
            if self._closed(cloud):
                self._held.append((cloud, chain((choice,), stream)))
                return
            yield choice

    @property
    def held(self) -> tuple[str, ...]:
        """Clouds of which something is held."""
        return tuple(dict.fromkeys(cloud for cloud, _ in self._held))

    def newly_held(self) -> tuple[str, ...]:
        """Those that were not told before; each is told once, until it is opened again."""
        new = tuple(cloud for cloud in self.held if cloud not in self._told)
        self._told.update(new)
        return new

    def reopen(self, clouds: Iterable[str], *, by_alternative: bool) -> Iterator[Choice]:
        """What was held of these clouds, cheapest first; ``by_alternative``: the alternatives keep their order."""
        wanted = frozenset(clouds)
        streams = [self.through(cloud, stream) for cloud, stream in self._held if cloud in wanted]
        self._held = [(cloud, stream) for cloud, stream in self._held if cloud not in wanted]
        self._told -= wanted
        if by_alternative:
            return heapq.merge(*streams, key=lambda choice: (choice.alternative, rank(choice)))
        return heapq.merge(*streams, key=rank)


def _never(_: str) -> bool:
    return False
