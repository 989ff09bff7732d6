"""What to do about a block that an earlier launch met: its rule's hint, of which the block itself keeps only the id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.errors import SkyxError
from skyx_core.failover.hints import filled, is_filled

if TYPE_CHECKING:
    from skyx_core.cluster.rulebooks import Rulebooks
    from skyx_core.models import BlockKey


def rule_hint(rulebooks: Rulebooks, rule: str, key: BlockKey) -> str:
    """The hint, filled in for what is blocked; "" if the rule is not known (any more), or says more than is known.
    Makes no call to a cloud. Never raises.
    """
    if key.cloud is None:
        return ""
    try:
        rules = rulebooks.of(key.cloud).rules
    except SkyxError:
        return ""
    hint = next((one.hint for one in rules if one.id == rule), "")
    known = {name: getattr(key, name) for name in ("cloud", "region", "zone", "instance_type")}
    text = filled(hint, known)
    return text if is_filled(text) else ""
