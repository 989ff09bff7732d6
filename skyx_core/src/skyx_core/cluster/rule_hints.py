"""What to do about a block that an earlier launch met: its rule's hint, of which the block itself keeps only the id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from skyx_core.errors import SkyxError

if TYPE_CHECKING:
    from skyx_core.cluster.rulebooks import Rulebooks
    from skyx_core.models import BlockKey

_NAMED = re.compile(r"\{([a-z_]\w*)\}")


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
    filled = _NAMED.sub(lambda found: known.get(found[1]) or found[0], hint)
    return "" if _NAMED.search(filled) else filled
