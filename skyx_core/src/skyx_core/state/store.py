"""The store: everything that skyx remembers between commands, in one SQLite file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from skyx_core.clock import Clock
from skyx_core.state.blocks import BlockTable
from skyx_core.state.clusters import ClusterTable
from skyx_core.state.db import Database
from skyx_core.state.journal import Journal

if TYPE_CHECKING:
    from skyx_core.state.salvage import Salvaged


class Store(ClusterTable, Journal, BlockTable):
    """Making one does no I/O: the file is made at the first write, and reading without one finds nothing.

    Thread-safe, and safe for many processes: every method is one short transaction. Whatever a writing method
    returned from survives ``kill -9``; clusters and intents also survive a power cut, which may take the last events
    and blocks. Waits at most 30 s for other processes. Raises
    ``StateStoreError`` (``StateTooNewError`` for a file of a newer release), never an error of SQLite's.
    """

    def __init__(self, path: Path, clock: Clock, warn: Callable[[str], None] | None = None) -> None:
        """``warn`` gets a sentence for each damaged row that was left out; without it they are in ``warnings``."""
        self.warnings: list[str] = []
        self.path = path
        super().__init__(Database(path), clock, warn or self.warnings.append)

    def salvage(self) -> Salvaged:
        """Save what can be read from a damaged file into a new one and keep the damaged one beside it."""
        from skyx_core.state.salvage import salvage

        self.close()
        return salvage(self.path.absolute())

    def close(self) -> None:
        """Safe to repeat; the next call opens the file again."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
