"""What must not be tried, indexed by the set of fields that a block fixes: one look-up per shape of block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skyx_core.models import Block, BlockKey, Candidate
from skyx_core.models.blocks import ANY_ACCELERATOR

FORGET_S = 3 * 3600.0  # a block that ended longer ago is not counted when the same is met again
_FIELDS = tuple(BlockKey.model_fields)
_MULTIPLE = ("accelerator", "quota_bucket")  # fields of which a candidate has several values
Shape = tuple[str, ...]
_Values = tuple[object, ...]


@dataclass(frozen=True)
class _Ended:
    repeats: int
    until: float


class Blocklist:
    """Blocks by pattern. A hit never renews a block; of two that cover each other the wider and longer stays."""

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._shapes: dict[Shape, dict[_Values, Block]] = {}
        self._within: dict[tuple[Shape, Shape], dict[_Values, set[_Values]]] = {}
        self._ended: dict[BlockKey, _Ended] = {}
        self._learned: list[Block] = []
        for block in blocks:
            self.add(block)

    def learn(self, block: Block, now: float) -> Block | None:
        """Add a block that an error just gave; one that was there before, and ended, comes back for twice as long.

        The block as it was added; None if one that lasts as long covers it.
        """
        shape = shape_of(block.key)
        values = _values(block.key, shape)
        grown = self._grown(block, self._shapes.get(shape, {}).get(values), now)
        if not self._add(grown, shape, values):
            return None
        self._learned.append(grown)
        return grown

    def take_learned(self) -> tuple[Block, ...]:
        """What was learned since this was asked last, as it was added."""
        learned, self._learned = tuple(self._learned), []
        return learned

    def add(self, block: Block) -> bool:
        """Add it as it is. False if one that lasts as long already covers it; those that it covers go."""
        shape = shape_of(block.key)
        return self._add(block, shape, _values(block.key, shape))

    def _add(self, block: Block, shape: Shape, values: _Values) -> bool:
        if any(_outlasts(known, block) for known in self._covering(block.key, shape)):
            return False
        for other in [each for each in self._shapes if len(each) > len(shape) and set(each).issuperset(shape)]:
            for covered in list(self._inside(other, shape).get(values, ())):
                if _outlasts(block, self._shapes[other][covered]):
                    self._remove(other, covered)
        self._put(shape, values, block)
        return True

    def discard(self, block: Block) -> bool:
        """Take out this very block, before its end; whether it was there."""
        shape = shape_of(block.key)
        values = _values(block.key, shape)
        if self._shapes.get(shape, {}).get(values) != block:
            return False
        self._remove(shape, values)
        return True

    def remember(self, block: Block) -> None:
        """Count a block that has ended, so that the next of its kind lasts longer."""
        if block.until is not None:
            self._ended[block.key] = _Ended(block.repeats, block.until)

    def hit(self, candidate: Candidate, now: float, *, request: str = "") -> Block | None:
        """The block that lasts longest of those that match the candidate now."""
        found: Block | None = None
        for block in self._matching(candidate, request):
            if _live(block, now) and (found is None or _outlasts(block, found)):
                found = block
        return found

    def of_cloud(self, cloud: str, now: float) -> Block | None:
        """The block of all of a cloud, if there is one now."""
        block = self._shapes.get(("cloud",), {}).get((cloud,))
        return block if block is not None and _live(block, now) else None

    def drop_expired(self, now: float) -> int:
        """Forget what has ended; returns how many."""
        ended = [(s, v, b) for s, blocks in self._shapes.items() for v, b in blocks.items() if not _live(b, now)]
        for shape, values, block in ended:
            self._remove(shape, values)
            self.remember(block)
        self._ended = {key: each for key, each in self._ended.items() if each.until > now - FORGET_S}
        return len(ended)

    def __iter__(self) -> Iterator[Block]:
        for blocks in self._shapes.values():
            yield from blocks.values()

    def __len__(self) -> int:
        return sum(map(len, self._shapes.values()))

    def _matching(self, candidate: Candidate, request: str) -> Iterator[Block]:
        facts = _facts(candidate, request)
        accelerators: tuple[str, ...] = (*candidate.accelerators, ANY_ACCELERATOR) if candidate.accelerators else ()
        several = {"accelerator": accelerators, "quota_bucket": candidate.quota_buckets}
        for shape, blocks in self._shapes.items():
            for values in _each(shape, facts, several):
                block = blocks.get(values)
                if block is not None:
                    yield block

    def _grown(self, block: Block, known: Block | None, now: float) -> Block:
        """``known``: the block of the same pattern that was there before."""
        if known is not None and not _live(known, now):
            self.remember(known)
        before = self._ended.get(block.key)
        if before is None or block.grows_to is None or block.until is None or before.until <= now - FORGET_S:
            return block
        repeats = before.repeats + 1
        lasts = min((block.until - now) * 2.0 ** min(repeats, 30), max(block.grows_to, block.until - now))
        return block.model_copy(update={"until": now + lasts, "repeats": repeats})

    def _covering(self, key: BlockKey, fixes: Shape) -> Iterator[Block]:
        fixed = set(fixes)
        for shape, blocks in self._shapes.items():
            if fixed.issuperset(shape):
                block = blocks.get(_values(key, shape))
                if block:
                    yield block

    def _inside(self, shape: Shape, wider: Shape) -> dict[_Values, set[_Values]]:
        """Blocks of a shape by the values of fewer fields; made when first asked for, then kept up."""
        index = self._within.get((shape, wider))
        if index is None:
            index = self._within[shape, wider] = {}
            places = [shape.index(name) for name in wider]
            for values in self._shapes[shape]:
                index.setdefault(tuple([values[place] for place in places]), set()).add(values)
        return index

    def _put(self, shape: Shape, values: _Values, block: Block) -> None:
        self._shapes.setdefault(shape, {})[values] = block
        for (narrow, wider), index in self._within.items():
            if narrow == shape:
                index.setdefault(_values(block.key, wider), set()).add(values)

    def _remove(self, shape: Shape, values: _Values) -> None:
        block = self._shapes[shape].pop(values)
        for (narrow, wider), index in self._within.items():
            if narrow == shape:
                index[_values(block.key, wider)].discard(values)


def matches(key: BlockKey, candidate: Candidate, *, request: str = "") -> bool:
    """Whether a pattern covers a candidate."""
    facts = _facts(candidate, request)
    several: dict[str, tuple[str, ...]] = {
        "accelerator": (*candidate.accelerators, ANY_ACCELERATOR) if candidate.accelerators else (),
        "quota_bucket": candidate.quota_buckets,
    }
    shape = shape_of(key)
    return _values(key, shape) in set(_each(shape, facts, several))


def shape_of(key: BlockKey) -> Shape:
    """The fields that a pattern fixes."""
    given = key.__dict__
    return tuple([name for name in _FIELDS if given[name] is not None])


def _each(shape: Shape, facts: dict[str, object], several: dict[str, tuple[str, ...]]) -> Iterator[_Values]:
    """The values of a candidate for a shape: one, or one for each accelerator and quota that it has."""
    multiple = [name for name in _MULTIPLE if name in shape]
    if not multiple:
        yield tuple([facts[name] for name in shape])
        return
    first = multiple[0]
    for value in several[first]:
        given: dict[str, object] = {**facts, first: value}
        if len(multiple) == 1:
            yield tuple([given[name] for name in shape])
        else:
            for other in several[multiple[1]]:
                yield tuple([{**given, multiple[1]: other}[name] for name in shape])


def _live(block: Block, now: float) -> bool:
    return block.until is None or block.until > now


def _outlasts(one: Block, other: Block) -> bool:
    return one.until is None or (other.until is not None and one.until >= other.until)


def _values(key: BlockKey, shape: Shape) -> _Values:
    given = key.__dict__
    return tuple([given[name] for name in shape])


def _facts(candidate: Candidate, request: str) -> dict[str, object]:
    return {
        "cloud": candidate.cloud,
        "region": candidate.region,
        "zone": candidate.zone,
        "instance_type": candidate.instance_type,
        "accelerators": tuple(sorted(candidate.accelerators.items())),
        "use_spot": candidate.use_spot,
        "reservation": candidate.reservation or "",
        "request": request,
    }
