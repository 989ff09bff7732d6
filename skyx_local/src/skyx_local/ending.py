"""Stopping and removing all nodes of a cluster. Needs no model, so that a node can do it to itself quickly."""

from __future__ import annotations

from skyx_core.api import CloudError, Sandboxes, failpoint
from skyx_local.ledger import Ledger


def stop_cluster(sandboxes: Sandboxes, ledger: Ledger, uid: str) -> list[str]:
    """End all processes of the cluster but the calling one; keep files and addresses. Returns what is left to do, in
    words. Takes at most some 12 s; safe to repeat. Raises ``NodeError`` and ``CloudError``.
    """
    ids = sorted({*sandboxes.ids(f"{uid}-"), *sandboxes.strays(f"{uid}-")})
    left = sandboxes.stop(ids)
    failpoint("local.stop.after_nodes")
    if not left and ids:
        ledger.idle([str(sandboxes.folder(id_)) for id_ in ids])
    return left


def remove_cluster(sandboxes: Sandboxes, ledger: Ledger, uid: str) -> list[str]:
    """End all processes of the cluster but the calling one, delete its files, give back what it held, also what a
    creation that was cut short has left. Returns what is left to do, in words. Safe to repeat. Raises ``NodeError``.
    """
    prefix = f"{uid}-"
    ids = sorted({*sandboxes.ids(prefix), *sandboxes.remnants(prefix), *sandboxes.strays(prefix)})
    left = sandboxes.remove(ids)
    failpoint("local.teardown.after_nodes")
    if not left:
        try:
            ledger.release(uid, sandboxes.root, damaged=[str(sandboxes.folder(id_)) for id_ in ids])
        except CloudError as error:
            if ids:
                return left  # claims whose folders are gone don't count
            del error
    return left
