"""Sessions whose clouds answer as a test writes down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cli_process import Cli
from scripted_clouds import Script
from skyx_core import Session
from skyx_core.task import loads


class Connect:
    """``connect(script, ..., VARIABLE=value)``: a session of the same user with these clouds."""

    def __init__(self, cli: Cli, root: Path) -> None:
        self._cli = cli
        self._root = root
        self.made: list[Session] = []

    def __call__(self, *scripts: Script, **variables: str) -> Session:
        self._cli.extra.update(variables)
        plugins = [script.plugin(self._root) for script in scripts]
        self.made.append(self._cli.session(plugins=plugins, scan_plugins=False))
        return self.made[-1]


@contextmanager
def connecting(cli: Cli, root: Path) -> Iterator[Connect]:
    """What is up at the end is taken down."""
    connect = Connect(cli, root)
    yield connect
    for session in connect.made:
        session.down(all=True)
        session.close()


def launch(session: Session, yaml: str = "resources: {cpus: 2+}\n", cluster: str = "c", **options: Any) -> Any:
    return session.launch(loads(yaml).tasks[0], cluster=cluster, **options)


def rows_of(session: Session, kind: str, cluster: str = "c") -> list[dict[str, Any]]:
    return [dict(row) for row in session.explain(cluster) if row["kind"] == kind]


def failures(session: Session, cluster: str = "c") -> list[dict[str, Any]]:
    """The attempts that failed, as ``explain`` tells them."""
    return rows_of(session, "attempt_failed", cluster)


def gone(session: Session) -> bool:
    return not session.status().clusters


def replays(session: Session, cluster: str = "c") -> bool:
    decisions = list(session.replay(cluster))
    return bool(decisions) and all(each.same for each in decisions)
