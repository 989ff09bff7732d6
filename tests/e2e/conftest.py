"""Real commands, real nodes on this machine; everything is taken down again, and looked for afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli_process import Cli, node_processes
from skyx_core import Session


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where all users of this test process live. No process of their nodes may outlive the tests."""
    folder = tmp_path_factory.mktemp("e2e")
    yield folder
    strays = list(node_processes(folder))
    assert not strays, f"processes of sandboxes are left: {strays}"


@pytest.fixture(scope="session")
def new_user(base: Path) -> Callable[..., Cli]:
    count = iter(range(10_000))

    def make(**extra: str) -> Cli:
        return Cli(base / f"u{next(count)}", extra)

    return make


@pytest.fixture
def cli(new_user: Callable[..., Cli]) -> Iterator[Cli]:
    """A user who has nothing yet."""
    user = new_user()
    yield user
    user.clear()


@pytest.fixture(scope="module")
def shared(new_user: Callable[..., Cli]) -> Iterator[Cli]:
    """One user for a module, with cluster ``c`` of one node up."""
    user = new_user()
    user.ok("launch", "-c", "c", "-y", "--infra", "local")
    yield user
    user.clear()


@pytest.fixture
def session(cli: Cli) -> Iterator[Session]:
    with cli.session() as made:
        yield made
