"""``kill -9`` of the command at each point of a launch and of a take-down: what is recorded is true, and goes away.

With SKYX_TEST_DEPTH=full at every point, otherwise at those where something different exists.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

import pytest

from cli_process import Cli, node_processes
from depth import is_full

pytestmark = pytest.mark.e2e

LAUNCH = (
    "state.reserve.before_commit",
    "state.reserve.after_commit",
    "state.update.before_commit@1",
    "state.update.after_commit@1",
    "launch.before_provision",
    "attempt.creating.before_intent",
    "state.intent.before_commit",
    "state.intent.after_commit",
    "attempt.creating.after_intent",
    "local.create.before_claim",
    "local.create.after_claim",
    "local.create.after_node@1",
    "local.create.after_node@2",
    "local.create.after_nodes",
    "attempt.creating.before_made",
    "state.intent_ended.before_commit",
    "state.intent_ended.after_commit",
    "attempt.creating.after_made",
    "launch.after_provision",
    "state.update.before_commit@2",
    "state.update.after_commit@2",
    "bootstrap.before_agent",
    "bootstrap.before_configure",
    "launch.before_up",
    "state.update.before_commit@3",
    "state.update.after_commit@3",
    "launch.after_up",
    "sync.before_copy",
    "sync.after_copy",
)
DOWN = (
    "state.update.before_commit",
    "state.update.after_commit",
    "down.before_agent",
    "terminate.before_step",
    "local.teardown.after_nodes",
    "terminate.after_done",
    "down.before_remove",
    "state.remove.before_commit",
    "state.remove.after_commit",
)
QUICK = {
    "state.reserve.before_commit",
    "state.intent.after_commit",
    "local.create.after_claim",
    "local.create.after_node@1",
    "attempt.creating.before_made",
    "bootstrap.before_configure",
    "launch.before_up",
    "launch.after_up",
    "local.teardown.after_nodes",
    "state.remove.before_commit",
}
QUICK_AGAIN = {"local.create.after_node@1", "attempt.creating.before_made", "launch.before_up"}
FULL = is_full()
UNRECORDED = {"state.reserve.before_commit"}
UP_FROM = LAUNCH.index("state.update.after_commit@3")
TASK = "num_nodes: 2\nresources: {infra: local}\nfile_mounts: {~/t.yaml: t.yaml}\nrun: 'true'\n"


def chosen(points: tuple[str, ...], quick: set[str] = QUICK) -> list[str]:
    return [point for point in points if FULL or point in quick]


@pytest.fixture(scope="module")
def new_user(tmp_path_factory) -> Iterator[Callable[[], Cli]]:
    base = tmp_path_factory.mktemp("killed")
    count = iter(range(10_000))

    def make() -> Cli:
        user = Cli(base / f"u{next(count)}")
        user.write("t.yaml", TASK)
        return user

    yield make
    assert not list(node_processes(base))


@pytest.fixture
def user(new_user) -> Iterator[Cli]:
    made = new_user()
    yield made
    made.clear()


def launch(user: Cli, failpoint: str = ""):
    return user.run("launch", "t.yaml", "-c", "c", "-y", "-d", env={"SKYX_FAILPOINT": failpoint} if failpoint else {})


def kill_at(user: Cli, point: str) -> None:
    assert launch(user, f"{point}=kill").code == -signal.SIGKILL, f"{point} was never reached"


def test_the_points_are_those_that_a_launch_and_a_down_pass(user):
    def passed(text: str) -> set[str]:
        return {line.split()[1] for line in text.splitlines() if line.startswith("failpoint ")}

    assert passed(launch(user, "list").err) == {point.partition("@")[0] for point in LAUNCH}
    gone = user.ok("down", "c", "-y", env={"SKYX_FAILPOINT": "list"})
    assert passed(gone.err) == set(DOWN)


@pytest.mark.parametrize("point", chosen(LAUNCH))
def test_a_killed_launch_is_shown_as_it_is_and_taken_down_whole(user, point):
    kill_at(user, point)
    rows = user.ok("status", "-o", "json").json
    if point in UNRECORDED:
        assert rows == []
        assert user.left() == []
        user.run("down", "c", "-y", code=3)
        return
    [row] = rows
    assert row["name"] == "c"
    assert row["status"] == ("UP" if LAUNCH.index(point) >= UP_FROM else "INIT")
    user.ok("down", "c", "-y")
    assert user.left() == []
    assert user.clusters() == []


@pytest.mark.parametrize("point", chosen(LAUNCH, QUICK_AGAIN))
def test_a_killed_launch_can_simply_be_repeated(user, point):
    kill_at(user, point)
    with user.session() as session:
        known = session.status(refresh=True).clusters
        if not known:
            assert user.nodes() == []  # nothing that exists is lost sight of
    again = launch(user)
    assert again.code == 0, again.err
    with user.session() as session:
        [job] = session.queue("c")  # not lost, not run twice
        assert session.wait("c", job.id, 20).status == "SUCCEEDED"
        assert session.status(refresh=True).clusters[0].status == "UP"
    assert len(user.nodes()) == len(user.claims()) == 2


@pytest.mark.parametrize("point", chosen(DOWN))
def test_a_killed_take_down_can_simply_be_repeated(user, point):
    launch(user)
    ended = user.run("down", "c", "-y", env={"SKYX_FAILPOINT": f"{point}=kill"})
    assert ended.code == -signal.SIGKILL
    again = user.run("down", "c", "-y")
    assert again.code == (3 if point == "state.remove.after_commit" else 0), again.err
    assert user.left() == []
    assert user.clusters() == []


@pytest.mark.parametrize("action", ["enospc", "raise"])
@pytest.mark.parametrize("point", chosen(LAUNCH, {"state.update.before_commit@2", "attempt.creating.before_made"}))
def test_a_launch_that_fails_anywhere_leaves_nothing_behind_or_a_record_of_it(user, point, action):
    result = launch(user, f"{point}={action}")
    assert result.code != 0
    assert "Traceback" not in result.err
    if user.clusters():
        user.ok("down", "c", "-y")
    assert user.left() == []


START = ("start.after_nodes", "bootstrap.before_configure", "launch.before_up", "launch.after_up")


@pytest.mark.parametrize("point", chosen(START, {"start.after_nodes"}))
def test_a_start_that_fails_anywhere_is_stopped_again(user, point):
    user.ok("launch", "t.yaml", "-c", "c", "-y", "-d")
    user.ok("stop", "c", "-y")
    result = user.run("start", "c", "-y", env={"SKYX_FAILPOINT": f"{point}=enospc"})
    assert result.code != 0
    [row] = user.ok("status", "-o", "json").json
    assert row["status"] == "STOPPED"
    assert not list(node_processes(user.root))
    user.ok("start", "c", "-y")
    assert user.ok("status", "-o", "json").json[0]["status"] == "UP"
