"""Claims written again from the records of the nodes that they are for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from skyx_core.api import Sandboxes
from skyx_local import claim_files
from skyx_local.claims import Claim


def rebuilt(ledger: Path, nodes: Path, damaged: Sequence[claim_files.Unreadable]) -> Iterator[Claim]:
    """Of this user's damaged claims those whose nodes are in ``nodes`` and have sound records. Safe to repeat; to be
    called with the ledger locked. Raises ``OSError``.
    """
    paths = {file.path: file for file in damaged}
    for node in Sandboxes(nodes).list():
        file = paths.get(claim_files.path_of(ledger, str(node.folder)))
        if file is None:
            continue
        claim = Claim(
            folder=str(node.folder),
            cluster=node.cluster_uid,
            address=node.address,
            cpus=node.cpus,
            memory_gb=node.memory_gb,
            gpus=node.gpus,
            boot=node.boot_id,
            user=file.user,
        )
        claim = claim if node.running else claim.idle()
        claim_files.write(ledger, claim)
        yield claim
