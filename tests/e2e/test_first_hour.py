"""What a first user runs into."""

from __future__ import annotations

import signal
import time

import pytest

from cli_process import finish, wait_for
from skyx_core.errors import UsageError
from skyx_core.models import Autostop
from skyx_core.task import loads

pytestmark = pytest.mark.e2e


def task(run: str = "'true'", more: str = ""):
    return loads(f"resources: {{infra: local{more}}}\nrun: {run}\n").tasks[0]


def test_a_cluster_that_stopped_itself_can_be_used_again(session):
    session.launch(task(), cluster="c")
    assert session.autostop(["c"], Autostop(idle_minutes=0))[0].error == ""
    wait_for(lambda: [info.status for info in session.status().clusters] == ["STOPPED"])
    assert session.start(["c"])[0].error == ""
    time.sleep(1.5)  # as long as the agent needs to see that it is idle
    job = session.exec("c", task("echo again"))
    assert session.wait("c", job.job_id, 30).status == "SUCCEEDED"
    assert session.status(refresh=True).clusters[0].status == "UP"


def test_a_launch_that_is_interrupted_while_it_copies_leaves_nothing(cli):
    for index in range(3000):
        cli.write(f"work/f{index}", "x" * 100)
    process = cli.start("launch", "-c", "c", "-y", "--infra", "local", "--workdir", "work", "sleep 60")
    wait_for(cli.nodes, what="a node")
    process.send_signal(signal.SIGINT)
    result = finish(process)
    assert result.code == 130
    assert cli.left() == []
    assert cli.clusters() == []


@pytest.mark.parametrize(("asked", "field"), [(", cpus: 64", "cpus"), (", memory: 4096", "memory_gb")])
def test_a_larger_size_than_the_cluster_has_is_refused_by_name(session, asked, field):
    session.launch(task(more=", cpus: 1, memory: 1"), cluster="c")
    with pytest.raises(Exception, match="doesn't fit") as caught:
        session.launch(task(more=asked), cluster="c")
    assert caught.value.where == field
    session.launch(task(more=", cpus: 1"), cluster="c")


def test_one_name_where_a_list_is_due_is_refused(session):
    session.launch(task(), cluster="c")
    for act in (session.down, session.stop, session.start, session.status):
        with pytest.raises(UsageError, match="list"):
            act("c")
    assert session.status(["c"]).clusters[0].status == "UP"


def test_text_where_a_task_is_due_is_refused(session):
    with pytest.raises(UsageError, match="Task"):
        session.launch("echo hi")


def test_an_absolute_target_is_refused_before_anything_is_made(cli):
    cli.write("t.yaml", "resources: {infra: local}\nfile_mounts: {/data: t.yaml}\nrun: 'true'\n")
    result = cli.run("launch", "t.yaml", "-c", "c", "-y")
    assert result.code == 2
    assert "~/data" in result.err
    assert cli.nothing_made()


def test_every_node_has_a_python_of_its_own(session):
    found = task("|\n  python -c 'import sys; print(sys.prefix)'\n  python3 -c 'import sys; print(sys.prefix)'")
    launched = session.launch(found, cluster="c")
    text = b"".join(chunk.data for chunk in session.logs("c", launched.job_id)).decode().split()
    assert len(set(text)) == 1
    assert str(session.dirs.data) in text[0]
