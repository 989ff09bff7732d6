"""Clouds that are not drawn from for now: their streams are held, not read to the end."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from skyx_core.plan.ranking import Choice, rank

Arrange = Callable[[Iterable[Iterator[Choice]]], Iterator[Choice]]


@dataclass(frozen=True)
class _Held:
    cloud: str
    group: int
    stream: Iterator[Choice]


class Gate:
    """Between the streams of a plan and the one that draws from it, who says which clouds are closed.

    ``arrange`` puts streams of one group in order, as the plan does; groups keep their order.
    """

    def __init__(self, arrange: Arrange | None = None) -> None:
        self.arrange: Arrange = arrange or _cheapest_first
        self._closed: Callable[[str], bool] = _never
        self._held: list[_Held] = []
        self._told: set[str] = set()

    def watch(self, closed: Callable[[str], bool]) -> None:
        """``closed(cloud)``: asked before each choice of the cloud."""
        self._closed = closed

    def through(self, cloud: str, stream: Iterator[Choice], group: int = 0) -> Iterator[Choice]:
        """The stream, until the cloud is closed; what is left of it is then held."""
        for choice in stream:
            if self._closed(cloud):
                self._held.append(_Held(cloud, group, chain((choice,), stream)))
                return
            yield choice

    @property
    def held(self) -> tuple[str, ...]:
        """Clouds of which something is held."""
        return tuple(dict.fromkeys(each.cloud for each in self._held))

    def newly_held(self) -> tuple[str, ...]:
        """Those that were not told before; each is told once, until it is opened again."""
        new = tuple(cloud for cloud in self.held if cloud not in self._told)
        self._told.update(new)
        return new

    def reopen(self, clouds: Iterable[str]) -> Iterator[Choice]:
        """What was held of these clouds, in the order of the plan."""
        wanted = frozenset(clouds)
        opened = [each for each in self._held if each.cloud in wanted]
        self._held = [each for each in self._held if each.cloud not in wanted]
        self._told -= wanted
        for group in sorted({each.group for each in opened}):
            yield from self.arrange(
                [self.through(each.cloud, each.stream, group) for each in opened if each.group == group]
            )


def _cheapest_first(streams: Iterable[Iterator[Choice]]) -> Iterator[Choice]:
    return heapq.merge(*streams, key=rank)


def _never(_: str) -> bool:
    return False
