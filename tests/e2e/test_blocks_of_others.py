"""Whom a block concerns: accounts, sizes, credentials, and what is already there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scripted_clouds import Script, said
from scripted_sessions import Connect, connecting, gone, launch, replays, rows_of
from skyx_core.errors import NoCapacityError
from skyx_core.models import Block, BlockKey, Category, EventKind
from skyx_core.testing import eventually

pytestmark = pytest.mark.e2e

QUOTA = "You have requested more vCPU capacity than your current vCPU limit of 8 allows for this instance bucket."
FULL = "We currently do not have sufficient g5.xlarge capacity in the Availability Zone you requested (us-east-1a)."
PLACE = ("us-east-1", "us-east-1a")
TASK = "num_nodes: {}\nresources: {{cpus: 2+}}\n"


@pytest.fixture
def connect(cli, tmp_path) -> Iterator[Connect]:
    with connecting(cli, tmp_path) as made:
        yield made


def aws(*answers: object, **more: object) -> Script:
    """One zone, whose answers come in turn; the last one for ever."""
    return Script("aws", {"us-east-1": ["us-east-1a"]}, {PLACE: list(answers) or None}, **more)


def no_quota() -> Exception:
    return said("aws", "VcpuLimitExceeded", QUOTA, 400)


def full() -> Exception:
    return said("aws", "InsufficientInstanceCapacity", FULL, 500)


def test_the_quota_of_one_account_says_nothing_about_another(connect):
    cloud = aws(no_quota(), None, account="111")
    with pytest.raises(NoCapacityError):
        launch(connect(cloud))
    (stored,) = connect(cloud).store.blocks(now=0.0)
    assert (stored.account, stored.category) == ("111", Category.QUOTA)
    with pytest.raises(NoCapacityError):
        launch(connect(cloud))
    assert len(cloud.tried()) == 1, "known to the next launch of the same account"
    cloud.account = "222"
    session = connect(cloud)
    assert launch(session).attempts == 1
    assert [row.rule for row in session.blocks().blocks] == [stored.rule]
    session.down(["c"])
    cloud.account = "111"
    assert [row.rule for row in connect(cloud).blocks().blocks] == [stored.rule], "nothing of another account is lost"
    with pytest.raises(NoCapacityError):
        launch(connect(cloud))
    assert len(cloud.tried()) == 2


def test_two_accounts_that_meet_the_same_keep_a_block_each(connect):
    cloud = aws(no_quota(), account="111")
    for account in ("111", "222", "111"):
        cloud.account = account
        with pytest.raises(NoCapacityError):
            launch(connect(cloud))
    stored = connect(cloud).store.blocks(now=0.0)
    assert [block.account for block in stored] == ["111", "222"]
    assert len({block.key for block in stored}) == 1
    assert len(cloud.tried()) == 2


def test_no_room_for_many_says_nothing_about_few(connect):
    cloud = aws(full(), None)
    with pytest.raises(NoCapacityError):
        launch(connect(cloud), TASK.format(16))
    assert [block.nodes for block in connect(cloud).store.blocks(now=0.0)] == [16]
    assert launch(connect(cloud), TASK.format(1)).attempts == 1
    with pytest.raises(NoCapacityError):
        launch(connect(cloud), TASK.format(16), cluster="d")
    assert len(cloud.tried()) == 2


def test_no_room_for_few_means_none_for_many(connect):
    cloud = aws(full())
    with pytest.raises(NoCapacityError):
        launch(connect(cloud), TASK.format(1))
    with pytest.raises(NoCapacityError) as caught:
        launch(connect(cloud), TASK.format(16))
    assert len(cloud.tried()) == 1
    assert "blocked for" in caught.value.attempts[0][2]


@pytest.mark.parametrize("waits", [False, True])
def test_a_cluster_that_lost_a_node_is_made_whole_whatever_others_met_there(connect, waits):
    """Its own nodes count in the quota, and it may hold data. With ``waits`` the place is full at first."""
    cloud = aws(account="111")
    session = connect(cloud, SKYX_RETRY_PAUSE_S="0.1")
    launch(session, TASK.format(2))
    until = session.clock.time() + 3600
    others = [Block(key=BlockKey(cloud="aws"), rule="r", reason="met by others", until=until, account="111", since=1.0)]
    session.store.add_blocks(others)
    cloud.denied = "no quota left"
    cloud.lose(cloud.nodes()[-1])
    assert session.status(refresh=True).clusters[0].status == "INIT"
    briefly = full()
    cloud.answers = {PLACE: [None, briefly, None]} if waits else {}

    def clear_own(event: object) -> None:
        if getattr(event, "kind", None) == EventKind.RETRY_WAIT:
            session.store.clear_blocks()
            session.store.add_blocks(others)

    session.on_event = clear_own
    launched = launch(session, TASK.format(2), retry_until_up=waits)
    assert launched.attempts == 1 + waits
    assert session.status().clusters[0].status == "UP"
    assert not any(row["error"] for row in rows_of(session, "zones_located") if "quota" in str(row.get("error")))
    assert replays(session)
    with pytest.raises(NoCapacityError):
        launch(session, TASK.format(1), cluster="d")


def test_what_is_blocked_after_retries_until_it_is_fixed_ends_with_the_credentials(connect):
    busy = said("odd", "Busy", "no such project yet", 409)
    odd = Script("odd", {"r1": [None]}, {("r1", None): [busy, busy, None]})
    session = connect(odd)
    session.dirs.config.mkdir(parents=True)
    rule = "{id: busy, code: Busy, category: config, retry: {max: 1, wait: 0.01}, block_after: cloud, ttl: until_fixed}"
    session.dirs.rules_file.write_text(f"rules: [{rule}]")
    with pytest.raises(NoCapacityError):
        launch(session)
    (stored,) = session.store.blocks(now=0.0)
    assert stored.key == BlockKey(cloud="odd")
    assert stored.fingerprint
    with pytest.raises(NoCapacityError):
        launch(connect(odd))
    assert len(odd.tried()) == 2
    odd.key = "key-2"
    session = connect(odd)
    launch(session)
    assert not gone(session)
    assert len(odd.tried()) == 3


def test_a_search_that_waits_takes_over_what_another_account_cleared_only_for_its_own(connect):
    """What is cleared for all clouds frees what waits; the blocks of another account never were in its way."""
    cloud = aws(full(), None, account="111")
    session = connect(cloud, SKYX_RETRY_PAUSE_S="0.1")
    until = session.clock.time() + 3600
    key = BlockKey(cloud="aws")
    session.store.add_blocks([Block(key=key, rule="r", reason="x", until=until, account="222", since=1.0)])

    def clear(event: object) -> None:
        if getattr(event, "kind", None) == EventKind.RETRY_WAIT:
            session.clear_blocks()

    session.on_event = clear
    assert launch(session, retry_until_up=True).attempts == 2
    assert replays(session), "what was cleared is on record"
    eventually(lambda: session.blocks().blocks == [], limit_s=1)
