"""The queue as its users see it: order, backfill, reasons, history."""

from __future__ import annotations

import time

import pytest

from depth import depth
from unit.agent.client import Client, Head, eventually

MANY = depth(25, 1000)
GATE = "while [ ! -e ~/%s ]; do sleep 0.01; done"


def _status(client: Client, job: int) -> str:
    return str(client.ask("job", job_id=job)["job"]["status"])


def test_small_jobs_pass_one_that_waits_for_more_than_is_free_and_the_queue_says_why(shared_head: Head) -> None:
    client = shared_head.again(gpus=8)
    first = client.submit(GATE % "a", accelerators={"H100": 4})
    big = client.submit("true", accelerators={"H100": 8})
    small = [client.submit(GATE % "b", accelerators={"H100": 1}) for _ in range(4)]
    last = client.submit("true", accelerators={"H100": 1})
    free = client.submit("true")
    assert client.wait(free)["status"] == "SUCCEEDED"
    assert eventually(lambda: {_status(client, job) for job in [first, *small]} == {"RUNNING"})
    shown = {job["id"]: job for job in client.ask("queue")["jobs"]}
    assert shown[big]["status"] == shown[last]["status"] == "PENDING"
    assert shown[big]["reason"] == "needs 8 accelerators on 1 node; free now per node: 0"
    (shared_head.root / "home0/b").touch()
    assert client.wait(last)["status"] == "SUCCEEDED"
    assert _status(client, big) == "PENDING"
    assert "free now per node: 4" in client.ask("job", job_id=big)["job"]["reason"]
    (shared_head.root / "home0/a").touch()
    assert client.wait(big)["status"] == "SUCCEEDED"


def test_a_strict_queue_keeps_the_order(shared_head: Head) -> None:
    client = shared_head.again(gpus=2, strict=True)
    first = client.submit(GATE % "a", accelerators={"H100": 1})
    big = client.submit("true", accelerators={"H100": 2})
    small = client.submit("true", accelerators={"H100": 1})
    crowd = [client.submit("true") for _ in range(8)]
    assert eventually(lambda: _status(client, first) == "RUNNING")
    assert client.ask("job", job_id=small)["job"]["reason"] == f"waits behind job {big}: the queue is strict"
    (shared_head.root / "home0/a").touch()
    assert [client.wait(job)["status"] for job in [big, small, *crowd]] == ["SUCCEEDED"] * 10


def test_a_job_starts_when_its_nodes_are_free_wherever_they_are(shared_head: Head) -> None:
    client = shared_head.again(nodes=3, gpus=1)
    one = client.submit(GATE % "a", accelerators={"H100": 1})
    two = client.submit("echo $SKYX_NODE_IPS", num_nodes=2, accelerators={"H100": 1})
    client.wait(two)
    assert client.text(two, ranks=[0]) == "127.9.0.2 127.9.0.3\n"
    (shared_head.root / "home0/a").touch()
    client.wait(one)


def test_waiting_jobs_can_be_cancelled_and_the_rest_goes_on(shared_head: Head) -> None:
    client = shared_head.again(gpus=1)
    first = client.submit(GATE % "a", accelerators={"H100": 1})
    waiting = [client.submit("true", accelerators={"H100": 1}) for _ in range(5)]
    assert client.ask("cancel", jobs=waiting[:4])["cancelled"] == waiting[:4]
    assert client.wait(waiting[0])["status"] == "CANCELLED"
    (shared_head.root / "home0/a").touch()
    assert client.wait(waiting[4])["status"] == "SUCCEEDED"
    assert client.wait(first)["status"] == "SUCCEEDED"


def test_the_listing_can_be_cut_and_continued(shared_head: Head) -> None:
    client = shared_head.again()
    jobs = [client.submit("true") for _ in range(12)]
    for job in jobs:
        client.wait(job)
    assert [job["id"] for job in client.ask("queue", limit=3)["jobs"]] == jobs[:-4:-1]
    assert [job["id"] for job in client.ask("queue", since=jobs[5])["jobs"]] == jobs[:5:-1]
    assert client.ask("job", job_id=None)["job"]["id"] == jobs[-1]


def test_many_queued_jobs_all_end_once(shared_head: Head) -> None:
    client = shared_head.again(gpus=1)
    before = client.ask("status")["jobs"]["SUCCEEDED"]
    gate = client.submit(GATE % "a", accelerators={"H100": 1})
    jobs = [client.submit("echo x >> ~/ran", accelerators={"H100": 1}) for _ in range(MANY)]
    (shared_head.root / "home0/a").touch()
    client.wait(gate)
    assert client.wait(jobs[-1], timeout=60)["status"] == "SUCCEEDED"
    counts = client.ask("status")["jobs"]
    assert (counts["SUCCEEDED"] - before, counts["PENDING"]) == (MANY + 1, 0)
    assert (shared_head.root / "home0/ran").read_text() == "x\n" * MANY


def test_a_new_configuration_keeps_what_runs_and_a_new_boot_ends_it(shared_head: Head) -> None:
    client = shared_head.again(gpus=1, boot="1")
    running = client.submit("sleep 60", accelerators={"H100": 1})
    waiting = client.submit("true", accelerators={"H100": 1})
    assert eventually(lambda: _status(client, running) == "RUNNING")
    client.ask("configure", cluster=shared_head.cluster(gpus=1, boot="1"))
    time.sleep(0.1)
    assert (_status(client, running), _status(client, waiting)) == ("RUNNING", "PENDING")
    client.ask("configure", cluster=shared_head.cluster(gpus=1, boot="2"))
    assert client.wait(running)["status"] == "FAILED_DRIVER"
    assert "restarted" in client.wait(running)["reason"]
    assert client.wait(waiting)["status"] == "SUCCEEDED"


def test_a_job_that_the_changed_cluster_can_not_run_does_not_wait_for_ever(shared_head: Head) -> None:
    client = shared_head.again(gpus=2)
    first = client.submit(GATE % "a", accelerators={"H100": 1})
    big = client.submit("true", accelerators={"H100": 2})
    client.ask("configure", cluster=shared_head.cluster(gpus=1))
    found = client.wait(big)
    assert found["status"] == "FAILED_DRIVER"
    assert "has been changed" in found["reason"]
    (shared_head.root / "home0/a").touch()
    assert client.wait(first)["status"] == "SUCCEEDED"


def test_waiting_jobs_stay_over_a_stop_and_start_only_when_the_cluster_is_configured(shared_head: Head) -> None:
    client = shared_head.again(gpus=1)
    client.submit("sleep 60", accelerators={"H100": 1})
    waiting = client.submit("true", accelerators={"H100": 1})
    client.ask("shutdown", kill_jobs=True)
    shared_head.serve()
    client = shared_head.client()
    assert client.ask("job", job_id=waiting)["job"]["reason"] == "waits for the cluster to be started"
    client.ask("configure", cluster=shared_head.cluster(gpus=1))
    assert client.wait(waiting)["status"] == "SUCCEEDED"


@pytest.mark.parametrize("broken", [{"nodes": []}, {"name": 3}, {"nodes": [{"rank": 0}]}, {"strict": "yes"}])
def test_a_wrong_configuration_is_refused_and_the_old_one_stays(shared_head: Head, broken: dict[str, object]) -> None:
    from unit.agent.client import AgentRefusal

    client = shared_head.again()
    with pytest.raises(AgentRefusal) as refusal:
        client.ask("configure", cluster={**shared_head.cluster(), **broken})
    assert refusal.value.code == "invalid"
    assert client.wait(client.submit("true"))["status"] == "SUCCEEDED"


def test_a_job_cancelled_while_it_waits_leaves_no_secret_on_the_disk(head: Head) -> None:
    client = head.up(gpus=1)
    client.submit("while [ ! -e ~/go ]; do sleep 0.01; done", accelerators={"X": 1.0})
    waiting = client.submit("true", accelerators={"X": 1.0}, secrets={"KEY": "canary-4711"})
    client.ask("cancel", jobs=[waiting])
    found = [path for path in head.root.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()]
    assert found == []
    (head.root / "home0/go").touch()
