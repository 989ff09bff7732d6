"""One path for every shape of cloud: this machine, one with zones and tokens, one with names and without stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from cli_process import Cli
from skyx_core import Session
from skyx_core.models import Event, EventKind
from skyx_core.task import Task, loads
from skyx_core.testing import FakeCloud, FakePodDriver, FakeVmDriver

pytestmark = pytest.mark.e2e

CREATING = {"fakevm": "RunNodes", "fakepod": "CreatePod"}
DRIVERS = [("cloud", "fakevm", FakeVmDriver), ("cloud", "fakepod", FakePodDriver)]


@dataclass
class Shape:
    """A cloud with one user."""

    name: str
    user: Cli
    session: Session
    events: list[Event]
    cloud: FakeCloud | None

    def task(self, run: str = "echo rank=$SKYX_NODE_RANK", nodes: int = 2) -> Task:
        return loads(f"num_nodes: {nodes}\nresources: {{infra: {self.name}}}\nrun: |\n  {run}\n").tasks[0]

    def existing(self) -> int:
        """Nodes that the cloud itself knows of."""
        if self.cloud is None:
            return len(self.user.nodes())
        return sum(node.exists for node in self.cloud.ledger().values())

    def log(self, job_id: int | None) -> list[str]:
        return sorted(b"".join(chunk.data for chunk in self.session.logs("c", job_id)).decode().splitlines())


@pytest.fixture(params=["local", "fakevm", "fakepod"])
def shape(request, cli, tmp_path) -> Iterator[Shape]:
    events: list[Event] = []
    if request.param == "local":
        with cli.session(on_event=events.append) as session:
            yield Shape("local", cli, session, events, None)
        return
    with FakeCloud("vm" if request.param == "fakevm" else "pod", tmp_path / "cloud") as cloud:
        cli.extra[f"SKYX_{request.param.upper()}_URL"] = cloud.url
        with cli.session(plugins=DRIVERS, on_event=events.append) as session:
            yield Shape(request.param, cli, session, events, cloud)
            session.down(all=True)


def test_the_whole_life_of_a_cluster(shape):
    session = shape.session
    launched = session.launch(shape.task(), cluster="c")
    assert launched.attempts == 1
    assert shape.log(launched.job_id) == ["rank=0", "rank=1"]
    assert shape.existing() == 2
    [row] = session.status(refresh=True).clusters
    assert (row.name, row.status, row.cloud, row.num_nodes) == ("c", "UP", shape.name, 2)

    job = session.exec("c", shape.task("exit 3", nodes=1))
    assert session.wait("c", job.job_id, 20).exit_codes == [3]
    again = session.launch(shape.task(), cluster="c")
    assert (again.attempts, again.job_id) == (0, 3)
    assert shape.existing() == 2

    if shape.name == "fakepod":
        refuses_to_stop(shape)
    else:
        stops_and_starts(shape)
    [ended] = session.down(["c"])
    assert (ended.status, ended.remaining, ended.error) == (None, [], "")
    assert shape.existing() == 0
    assert session.status().clusters == []
    assert session.down(["c"])[0].exit_code == 3
    kinds = [event.kind for event in shape.events]
    assert kinds.index(EventKind.ATTEMPT_STARTED) < kinds.index(EventKind.NODES_UP) < kinds.index(EventKind.CLUSTER_UP)
    assert kinds[-1] is EventKind.TERMINATED


def stops_and_starts(shape: Shape) -> None:
    session = shape.session
    session.wait("c", session.exec("c", shape.task("echo kept > ~/kept; echo $SKYX_NODE_IPS", nodes=1)).job_id, 20)
    before = session.status().clusters[0].head
    assert session.stop(["c"])[0].status == "STOPPED"
    [row] = session.status(refresh=True).clusters
    assert row.status == "STOPPED"
    assert shape.existing() == 2
    assert session.start(["c"])[0].status == "UP"
    job = session.exec("c", shape.task("cat ~/kept", nodes=1))
    assert shape.log(job.job_id) == ["kept"]
    if shape.name == "local":
        assert session.status().clusters[0].head == before


def refuses_to_stop(shape: Shape) -> None:
    assert shape.cloud is not None
    mutating = [call for call in shape.cloud.calls() if call["mutating"]]
    [refused] = shape.session.stop(["c"])
    assert refused.error
    assert "stop" in refused.error
    assert refused.status == "UP"
    assert [call for call in shape.cloud.calls() if call["mutating"]] == mutating
    assert shape.log(shape.session.exec("c", shape.task("echo alive", nodes=1)).job_id) == ["alive"]


def test_each_creating_call_was_in_the_journal_before_it_arrived(shape):
    """A call that is struck before it has an effect has its intent all the same; one without an intent is not made."""
    if shape.cloud is None:
        pytest.skip("calls of the local cloud have no server that counts them")
    shape.cloud.fault(CREATING[shape.name], "delay", seconds=0.3, count=9)
    seen: list[int] = []
    store = shape.session.store
    intents: dict[str, str] = {}

    def look(event: Event) -> None:
        if event.cluster_uid and event.kind in (EventKind.NODES_UP, EventKind.CLUSTER_UP):
            calls = len(shape.cloud.calls(CREATING[shape.name]))
            rows = store.intents(event.cluster_uid)
            intents.update({row.id: row.token for row in rows})
            seen.append(calls)
            assert calls == len(rows) >= 1

    shape.session.on_event = look
    shape.session.launch(shape.task(), cluster="c")
    assert seen
    tags = [node.tags for node in shape.cloud.ledger().values()]
    assert {tag["skyx-intent"] for tag in tags} == set(intents)
    assert {tag["skyx-cluster"] for tag in tags} == {"c"}


def test_nothing_is_called_when_the_intent_can_not_be_written(shape, monkeypatch):
    monkeypatch.setenv("SKYX_FAILPOINT", "attempt.creating.before_intent=raise")
    with pytest.raises(Exception, match=r"failpoint|no capacity"):
        shape.session.launch(shape.task(), cluster="c")
    monkeypatch.delenv("SKYX_FAILPOINT")
    assert shape.existing() == 0
    if shape.cloud is not None:
        assert shape.cloud.calls(CREATING[shape.name]) == []
        assert shape.cloud.ledger() == {}
