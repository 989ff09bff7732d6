"""What each error code of this cloud means for a launch."""

from __future__ import annotations

from skyx_core.api import Category, ErrorRule, Retry, Scope
from skyx_local.codes import (
    LEDGER_BUSY,
    LEDGER_DAMAGED,
    LEDGER_UNUSABLE,
    NO_ADDRESS,
    NO_CAPACITY,
    NO_SPACE,
    NO_SUCH_TYPE,
    NODE_DAMAGED,
    NODE_FAILED,
)

_SOURCE = "skyx_local"

# No block outlives its attempt (ttl 0): this machine is looked at anew each time, and what a user freed counts at once.

RULES: tuple[ErrorRule, ...] = (
    ErrorRule(
        id="local-capacity",
        code=NO_CAPACITY,
        category=Category.CAPACITY,
        block=Scope.INSTANCE_TYPE_IN_REGION,
        ttl=0,
        nodes_may_exist=False,
        hint="take down or stop a cluster that holds what is needed, or ask for less; 'skyx status' lists them",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-addresses",
        code=NO_ADDRESS,
        category=Category.CAPACITY,
        block=Scope.CLOUD,
        ttl=0,
        nodes_may_exist=False,
        hint="take down clusters, also stopped ones: each node keeps its address",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-space",
        code=NO_SPACE,
        category=Category.CAPACITY,
        block=Scope.CLOUD,
        ttl=0,
        hint="free some disk space, or set clouds.local.root to a folder on another disk",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-ledger-busy",
        code=LEDGER_BUSY,
        category=Category.TRANSIENT,
        block=Scope.CLOUD,
        ttl=0,
        retry=Retry(max=2, wait=1),
        nodes_may_exist=False,
        hint="another process holds the ledger of this machine; the error names its lock file",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-ledger-unusable",
        code=LEDGER_UNUSABLE,
        category=Category.CONFIG,
        block=Scope.CLOUD,
        ttl=0,
        abort=True,
        hint="make the ledger's folder writable for all users of this machine (mode 1777)",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-ledger-damaged",
        code=LEDGER_DAMAGED,
        category=Category.CONFIG,
        block=Scope.CLOUD,
        ttl=0,
        abort=True,
        hint="take down the cluster that the file belongs to; remove the file if no node of its user runs any more",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-node-damaged",
        code=NODE_DAMAGED,
        category=Category.CONFIG,
        block=Scope.CLOUD,
        ttl=0,
        abort=True,
        hint="take the cluster down; its files are in the folder 'home' beside the record that the error names",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-type",
        code=NO_SUCH_TYPE,
        category=Category.USER_ERROR,
        block=Scope.INSTANCE_TYPE_IN_REGION,
        ttl=0,
        nodes_may_exist=False,
        hint="leave instance_type out and ask by cpus, memory and accelerators",
        source=_SOURCE,
    ),
    ErrorRule(
        id="local-node",
        code=NODE_FAILED,
        category=Category.CONFIG,
        block=Scope.CLOUD,
        ttl=0,
        hint="see that the folder of the nodes can be written (clouds.local.root)",
        source=_SOURCE,
    ),
)
