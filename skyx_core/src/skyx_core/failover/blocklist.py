"""What must not be tried, indexed by the set of fields that a block fixes: one look-up per shape of block."""

from __future__ import annotations

from collections.abc import Iterator

from skyx_core.models import Block, BlockKey, Candidate

_FIELDS = tuple(BlockKey.model_fields)
_Values = tuple[object, ...]


class Blocklist:
    """Blocks of one search. A hit never renews a block."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[str, ...], dict[_Values, Block]] = {}

    def add(self, block: Block) -> bool:
        """Add it; of two equal patterns the later end wins. False if one that lasts as long already covers it."""
        shape = _shape(block.key)
        values = _values(block.key, shape)
        if any(_outlasts(known, block) for known in self._covering(block.key)):
            return False
        self._shapes.setdefault(shape, {})[values] = block
        return True

    def hit(self, candidate: Candidate, now: float, *, account: str = "") -> Block | None:
        """The block that lasts longest of those that match the candidate now."""
        found: Block | None = None
        for facts in _facts(candidate, account):
            for shape, blocks in self._shapes.items():
                block = blocks.get(tuple(facts[name] for name in shape))
                if block and _live(block, now) and (found is None or _outlasts(block, found)):
                    found = block
        return found

    def drop_expired(self, now: float) -> int:
        """Forget what has ended; returns how many."""
        dropped = 0
        for blocks in self._shapes.values():
            ended = [values for values, block in blocks.items() if not _live(block, now)]
            for values in ended:
                del blocks[values]
            dropped += len(ended)
        return dropped

    def __iter__(self) -> Iterator[Block]:
        for blocks in self._shapes.values():
            yield from blocks.values()

    def _covering(self, key: BlockKey) -> Iterator[Block]:
        fixed = set(_shape(key))
        for shape, blocks in self._shapes.items():
            if fixed.issuperset(shape):
                block = blocks.get(_values(key, shape))
                if block:
                    yield block


def _live(block: Block, now: float) -> bool:
    return block.until is None or block.until > now


def _outlasts(one: Block, other: Block) -> bool:
    return one.until is None or (other.until is not None and one.until >= other.until)


def _shape(key: BlockKey) -> tuple[str, ...]:
    return tuple(name for name in _FIELDS if getattr(key, name) is not None)


def _values(key: BlockKey, shape: tuple[str, ...]) -> _Values:
    return tuple(getattr(key, name) for name in shape)


def _facts(candidate: Candidate, account: str) -> Iterator[dict[str, object]]:
    base: dict[str, object] = {
        "cloud": candidate.cloud,
        "account": account,
        "region": candidate.region,
        "zone": candidate.zone,
        "instance_type": candidate.instance_type,
        "quota_bucket": candidate.quota_bucket,
        "accelerator": None,
        "accelerators": tuple(sorted(candidate.accelerators.items())),
        "use_spot": candidate.use_spot,
        "reservation": None,
    }
    yield base
    for name in candidate.accelerators:
        yield {**base, "accelerator": name}
