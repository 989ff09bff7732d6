"""What a recorded search drew from its plan, to be drawn again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from skyx_core.models import Candidate, Event, EventKind, Request
from skyx_core.plan.gate import Gate
from skyx_core.plan.planner import Choice


@dataclass(frozen=True)
class _Draw:
    """``opening``: how many times its cloud had been opened again when it was met first. ``number``: in the plan."""

    choice: Choice
    opening: int
    number: int


class Reel(Gate):
    """The choices that a search met, in the order of the plan. What is of a cloud that was held and opened again comes
    once the engine opens it.
    """

    def __init__(self, steps: Sequence[Event]) -> None:
        super().__init__()
        self._draws = sorted(_draws(steps), key=lambda draw: draw.number)
        self._openings: Counter[str] = Counter()
        self._holding: set[str] = set()

    def hold(self, cloud: str) -> None:
        """As the record says."""
        self._holding.add(cloud)

    def __iter__(self) -> Iterator[Choice]:
        return self

    def __next__(self) -> Choice:
        for position, draw in enumerate(self._draws):
            if not self._is_later(draw):
                return self._draws.pop(position).choice
        raise StopIteration

    def _is_later(self, draw: _Draw) -> bool:
        return draw.opening > self._openings[draw.choice.candidate.cloud]

    @property
    def held(self) -> tuple[str, ...]:
        later = [draw.choice.candidate.cloud for draw in self._draws if self._is_later(draw)]
        return tuple(dict.fromkeys([*sorted(self._holding), *later]))

    def newly_held(self) -> tuple[str, ...]:
        return ()

    def reopen(self, clouds: Iterable[str]) -> Iterator[Choice]:
        self._openings.update(clouds)
        self._holding.difference_update(clouds)
        return self


def _draws(steps: Sequence[Event]) -> Iterator[_Draw]:
    """Choices in the order in which the engine first met them; zones of a region that it asked for are no choices."""
    met: set[tuple[object, ...]] = set()
    openings: Counter[str] = Counter()
    for step in steps:
        openings.update(filter(None, step.data.get("opened", "").split(",")))
        for choice, number in zip(_met(step), _numbers(step), strict=False):
            candidate = choice.candidate
            keys = [_key(candidate, choice.alternative, zone) for zone in (candidate.zone, None)]
            if not met.intersection(keys):
                met.add(keys[0])
                yield _Draw(choice, openings[candidate.cloud], number)


def _met(step: Event) -> Iterator[Choice]:
    for skipped in step.skipped:
        yield Choice(Request(), skipped.candidate, skipped.alternative, skipped.request)
    if step.kind is EventKind.ZONES_LOCATED and step.candidate is not None:
        yield Choice(Request(), step.candidate, step.alternative, step.request)


def _numbers(step: Event) -> Iterator[int]:
    """Of the choices that a step tells of; 0 where the record doesn't say, which leaves them as they were met."""
    given = step.data.get("numbers") or step.data.get("number") or ""
    yield from (int(number) for number in given.split(",") if number.isdecimal())
    yield from repeat(0)


def _key(c: Candidate, alternative: int, zone: str | None) -> tuple[object, ...]:
    accelerators = tuple(sorted(c.accelerators.items()))
    return c.cloud, c.region, zone, c.instance_type, c.use_spot, accelerators, c.reservation, alternative
