"""Error codes of this cloud."""

from __future__ import annotations

from skyx_core.api import CloudError

NO_CAPACITY = "InsufficientCapacity"
NO_ADDRESS = "AddressesExhausted"
NO_SPACE = "NoSpace"
LEDGER_BUSY = "LedgerBusy"
LEDGER_UNUSABLE = "LedgerUnusable"
LEDGER_DAMAGED = "LedgerDamaged"
NODE_DAMAGED = "NodeDamaged"
NODE_FAILED = "NodeFailed"
NO_SUCH_TYPE = "NoSuchInstanceType"


def cloud_error(operation: str, code: str, message: str, *, nodes_may_exist: bool = True) -> CloudError:
    """An error of this cloud."""
    return CloudError("local", operation, code, message, nodes_may_exist=nodes_may_exist)
