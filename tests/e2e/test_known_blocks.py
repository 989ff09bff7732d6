"""What one launch learns, the next one knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from skyx_core import Session
from skyx_core.errors import UsageError
from skyx_core.models import Block, BlockKey
from skyx_core.task import Task, loads
from skyx_core.testing import FakeCloud, FakePodDriver, FakeVmDriver

pytestmark = pytest.mark.e2e

DRIVERS = [("cloud", "fakevm", FakeVmDriver), ("cloud", "fakepod", FakePodDriver)]


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[FakeCloud]:
    with FakeCloud("vm", tmp_path_factory.mktemp("vm")) as vm:
        yield vm


@pytest.fixture
def vm(server) -> Iterator[FakeCloud]:
    yield server
    server.reset()


@pytest.fixture
def connect(cli, vm) -> Iterator[Callable[..., Session]]:
    made: list[Session] = []

    def session(url: str = "") -> Session:
        cli.extra["SKYX_FAKEVM_URL"] = url or vm.url
        made.append(cli.session(plugins=DRIVERS))
        return made[-1]

    yield session
    for one in made[:1]:
        one.down(all=True)
    for one in made:
        one.close()


def task(infra: str) -> Task:
    return loads(f"resources: {{infra: {infra}, cpus: 2}}\nrun: 'true'\n").tasks[0]


def test_the_next_launch_starts_where_capacity_is(vm, connect):
    vm.control("capacity", place="east-a", nodes=0)
    assert connect().launch(task("fakevm/east"), cluster="c").attempts == 2
    (row,) = connect().blocks("fakevm").blocks
    assert (row.pattern["zone"], row.rule, row.fingerprint_ok) == ("east-a", "fakevm-capacity", True)
    assert connect().launch(task("fakevm/east"), cluster="d").attempts == 1
    session = connect()
    assert session.clear_blocks("fakevm") == 1
    assert session.blocks().blocks == []
    assert session.launch(task("fakevm/east"), cluster="e").attempts == 2
    costs = {each.name: each for each in session.cost_report().clusters}
    assert set(costs) == {"c", "d", "e"}
    assert all(0 < each.seconds < 120 and each.hourly_usd > 0 for each in costs.values())


def test_a_block_counts_only_with_the_credentials_that_it_was_met_with_and_is_kept_for_them(vm, connect):
    session = connect()
    until = session.clock.time() + 86400
    mine = session._do.blocks._services.clouds.get("fakevm").fingerprint()
    key = BlockKey(cloud="fakevm")
    session.store.add_blocks([Block(key=key, rule="fake-auth", reason="expired", until=until, fingerprint=mine)])
    assert [each.fingerprint_ok for each in connect().blocks().blocks] == [True]
    changed = vm.url.replace("127.0.0.1", "localhost")
    assert changed != vm.url
    for _ in range(2):
        assert [each.fingerprint_ok for each in connect(changed).blocks(ended=True).blocks] == [False]
        assert connect(changed).blocks().blocks == []
    assert connect(changed).launch(task("fakevm/east"), cluster="c").attempts == 1
    assert [each.fingerprint_ok for each in connect(vm.url).blocks().blocks] == [True], "a look changes nothing"


def test_names_of_clouds_are_checked_before_anything_is_forgotten(connect):
    session = connect()
    with pytest.raises(UsageError) as caught:
        session.clear_blocks("fakevn")
    assert "fakevm" in caught.value.hint
    with pytest.raises(UsageError):
        session.blocks("nowhere")
    until = session.clock.time() + 100
    session.store.add_blocks(
        [Block(key=BlockKey(cloud="gone-plugin"), rule="r", reason="x", until=until, fingerprint="f")]
    )
    assert len(session.blocks("gone-plugin").blocks) == 1  # its plugin can't be asked: it stays
    assert session.clear_blocks("gone-plugin") == 1
