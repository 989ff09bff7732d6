import itertools

import pytest

from skyx_core.cluster.findings import TABLE, Finding, explain, judge
from skyx_core.models import Node, NodeState, Observation
from skyx_core.results import ClusterStatus


def seen(*states, complete=True, reason=""):
    nodes = tuple(Node(rank=rank, id=f"i-{rank}", state=state) for rank, state in enumerate(states))
    return Observation(complete=complete, nodes=nodes, reason=reason)


def test_the_table_is_total():
    for status, finding in itertools.product(ClusterStatus, Finding):
        target = TABLE[status][finding]
        assert target is None or isinstance(target, ClusterStatus)


@pytest.mark.parametrize("status", list(ClusterStatus))
def test_an_incomplete_list_never_changes_a_status(status):
    assert TABLE[status][Finding.UNKNOWN] is status


@pytest.mark.parametrize("status", list(ClusterStatus))
def test_every_status_has_a_way_to_its_end(status):
    assert TABLE[status][Finding.GONE] is None


def test_only_a_cluster_that_is_gone_loses_its_record():
    gone = {finding for row in TABLE.values() for finding, target in row.items() if target is None}
    assert gone == {Finding.GONE}


def test_terminating_stays_until_gone():
    others = set(TABLE[ClusterStatus.TERMINATING].values()) - {None}
    assert others == {ClusterStatus.TERMINATING}


@pytest.mark.parametrize(
    ("observation", "nodes", "finding"),
    [
        (seen(NodeState.RUNNING, NodeState.RUNNING), 2, Finding.HEALTHY),
        (seen(NodeState.RUNNING), 2, Finding.PARTIAL),
        (seen(NodeState.RUNNING, NodeState.FAILED), 2, Finding.PARTIAL),
        (seen(NodeState.RUNNING, NodeState.GONE), 2, Finding.PARTIAL),
        (seen(NodeState.STOPPED, NodeState.STOPPED), 2, Finding.STOPPED),
        (seen(NodeState.STOPPED, NodeState.RUNNING), 2, Finding.PARTIAL),
        (seen(NodeState.STOPPED, NodeState.STOPPING), 2, Finding.CHANGING),
        (seen(NodeState.PENDING), 1, Finding.CHANGING),
        (seen(), 1, Finding.GONE),
        (seen(NodeState.GONE), 1, Finding.GONE),
        (seen(complete=False), 1, Finding.UNKNOWN),
        (seen(NodeState.RUNNING, complete=False), 1, Finding.UNKNOWN),
    ],
)
def test_what_one_look_shows(observation, nodes, finding):
    assert judge(observation, nodes) is finding


def test_the_reason_names_nodes_and_what_the_cloud_said():
    lost = Node(rank=1, id="i-1", state=NodeState.GONE, reason="Server.SpotInstanceTermination")
    text = explain(Observation(complete=True, nodes=(Node(rank=0, id="i-0"), lost)), 3)
    assert text == "worker1 is gone (Server.SpotInstanceTermination); 1 of 3 nodes are missing"
    assert explain(seen(complete=False, reason="time-out"), 1) == "unknown: time-out"
