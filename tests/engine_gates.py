"""Plans that come through a gate, cloud by cloud, as in launches; what is read of a closed cloud is counted."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from skyx_core.models import Block, BlockKey
from skyx_core.plan.gate import Gate
from skyx_core.plan.planner import Choice


class WatchedGate(Gate):
    """``closed``: whether all of a cloud is blocked, as a plain search through all blocks says. While it is, at most
    one choice of each of its streams is read, which is then held.
    """

    def __init__(self, plan: Sequence[Choice], closed: Callable[[str], bool]) -> None:
        place = {id(each): number for number, each in enumerate(plan)}
        super().__init__(lambda streams: heapq.merge(*streams, key=lambda each: place[id(each)]))
        self._is_closed = closed
        self._idle: Counter[tuple[str, int]] = Counter()
        self.read: Counter[str] = Counter()
        self.reopened: Counter[str] = Counter()

    def choices(self, plan: Sequence[Choice], *, by_alternative: bool) -> Iterator[Choice]:
        """The plan in its order."""
        groups = groupby(plan, key=lambda each: each.alternative if by_alternative else 0)
        for number, (_, group) in enumerate(groups):
            part = list(group)
            clouds = dict.fromkeys(each.candidate.cloud for each in part)
            streams = [self.through(cloud, self._stream(cloud, part, number), number) for cloud in clouds]
            yield from self.arrange(streams)

    def _stream(self, cloud: str, plan: Sequence[Choice], group: int) -> Iterator[Choice]:
        for each in plan:
            if each.candidate.cloud == cloud:
                if self._is_closed(cloud):
                    self._idle[cloud, group] += 1
                    assert self._idle[cloud, group] <= 1, f"{cloud} is read on while all of it is blocked"
                self.read[cloud] += 1
                yield each

    def through(self, cloud: str, stream: Iterator[Choice], group: int = 0) -> Iterator[Choice]:
        for each in super().through(cloud, stream, group):
            self._idle[cloud, group] = 0
            yield each

    def reopen(self, clouds: Iterable[str]) -> Iterator[Choice]:
        found = list(clouds)
        for cloud in found:
            assert cloud in self.held
            assert not self._is_closed(cloud), "opened while blocked"
        self.reopened.update(found)
        return super().reopen(found)


def closed_by(blocks: Iterable[Block], cloud: str, now: float) -> bool:
    """Whether one of them is of all of the cloud, and holds."""
    whole = BlockKey(cloud=cloud)
    return any(block.key == whole and (block.until is None or block.until > now) for block in blocks)
