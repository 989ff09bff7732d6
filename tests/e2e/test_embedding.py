"""The same from Python: several users in one process, events, notebooks, functions as jobs."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from skyx_core import Session
from skyx_core.errors import InterruptedBySignal, NotFoundError, SkyxError
from skyx_core.models import EventKind
from skyx_core.results import to_json
from skyx_core.task import loads

pytestmark = pytest.mark.e2e


def task(run: str = "echo hello", nodes: int = 1):
    return loads(f"num_nodes: {nodes}\nresources: {{infra: local}}\nrun: {json.dumps(run)}\n").tasks[0]


def text(session: Session, job_id: int | None, cluster: str = "c") -> str:
    return b"".join(chunk.data for chunk in session.logs(cluster, job_id)).decode()


def test_two_sessions_of_two_users_live_in_one_process(cli, new_user):
    other = new_user()
    with cli.session() as mine, other.session() as theirs:
        try:
            first, second = mine.launch(task("echo mine"), cluster="c"), theirs.launch(task("echo theirs"), cluster="c")
            assert (text(mine, first.job_id), text(theirs, second.job_id)) == ("mine\n", "theirs\n")
            mine.down(["c"])
            assert mine.status().clusters == []
            assert [row.status for row in theirs.status(refresh=True).clusters] == ["UP"]
        finally:
            theirs.down(all=True)


def test_what_the_session_returns_is_what_the_command_prints(cli):
    with cli.session() as session:
        launched = session.launch(task("echo hello; exit 3", nodes=2), cluster="c", detach=False)
        assert (launched.status, launched.attempts) == ("FAILED", 1)
        assert to_json(session.status().clusters) == cli.ok("status", "-o", "json").json
        assert to_json(session.queue("c")) == cli.ok("queue", "c", "-o", "json").json
        plan = to_json(session.plan(task()))
        cli.write("t.yaml", "resources: {infra: local}\nrun: echo hello\n")
        assert cli.ok("plan", "t.yaml", "-o", "json").json["tasks"] == [plan]
        assert sorted(to_json(row)["name"] for row in session.plugins()) == sorted(
            row["name"] for row in cli.ok("plugins", "-o", "json").json
        )
        again = cli.run("launch", "t.yaml", "-c", "c", "-y", "-o", "json", code=0).json
        assert set(again) == set(to_json(launched))
        [ended] = session.down(["c"])
        assert set(to_json(ended)) >= {"name", "status", "remaining"}


def test_events_come_in_order_and_are_those_that_explain_replays(cli):
    events = []
    with cli.session(on_event=events.append) as session:
        session.launch(task(), cluster="c")
        kinds = [event.kind for event in events]
        wanted = [EventKind.LAUNCH_STARTED, EventKind.ATTEMPT_STARTED, EventKind.NODES_UP, EventKind.CLUSTER_UP]
        assert [kind for kind in kinds if kind in wanted] == wanted
        assert kinds[-1] is EventKind.JOB_SUBMITTED
        stored = [row["kind"] for row in session.explain("c")]
        assert stored == [kind for kind in kinds if kind in set(stored)]
        assert [row["seq"] for row in session.explain("c")] == sorted(row["seq"] for row in session.explain("c"))
        rows = cli.ok("explain", "c", "-o", "json").records()
        assert [row["kind"] for row in rows] == stored


def test_a_function_may_say_what_each_rank_runs(cli):
    asked = []

    def run(rank: int, ips: list[str]) -> str | None:
        asked.append((rank, tuple(ips)))
        return None if rank == 1 else f"echo rank {rank} of {len(ips)}"

    with cli.session() as session:
        launched = session.launch(loads("num_nodes: 3\nresources: {infra: local}\n").tasks[0], cluster="c", run=run)
        assert sorted(text(session, launched.job_id).splitlines()) == ["rank 0 of 3", "rank 2 of 3"]
        assert [rank for rank, _ in asked] == [0, 1, 2]
        assert len({ips for _, ips in asked}) == 1
        assert session.wait("c", launched.job_id or 0, 10).status == "SUCCEEDED"


def test_it_works_inside_a_running_event_loop_as_in_a_notebook(cli):
    async def cell() -> tuple[str, str]:
        with cli.session() as session:
            launched = session.launch(task("echo in the loop"), cluster="c")  # a cell that just calls it
            direct = text(session, launched.job_id)
            job = await asyncio.to_thread(session.exec, "c", task("echo in a thread"))
            return direct, await asyncio.to_thread(text, session, job.job_id)

    assert asyncio.run(cell()) == ("in the loop\n", "in a thread\n")


def test_one_session_may_be_used_by_several_threads(cli):
    with cli.session() as session:
        session.launch(cluster="c")
        outputs: dict[int, str] = {}

        def one(number: int) -> None:
            outputs[number] = text(session, session.exec("c", task(f"echo {number}")).job_id)

        threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert outputs == {number: f"{number}\n" for number in range(6)}
        assert [job.id for job in session.queue("c")] == [6, 5, 4, 3, 2, 1]


def test_errors_are_of_one_tree_and_say_what_to_do(cli):
    with cli.session() as session:
        with pytest.raises(NotFoundError) as caught:
            session.exec("nope", task())
        assert isinstance(caught.value, SkyxError)
        assert (caught.value.exit_code, caught.value.code) == (3, "SKYX-E300")
        assert caught.value.hint
        assert session.down(["nope"])[0].exit_code == 3


def test_a_launch_in_another_thread_can_be_interrupted(cli):
    with cli.session() as session:
        seen: list[BaseException] = []
        reached = threading.Event()
        session.on_event = lambda event: reached.set() if event.kind is EventKind.RETRY_WAIT else None
        cli.settings("clouds: {local: {cpus: 1}}\n")

        def launch() -> None:
            big = loads("resources: {infra: local, cpus: 1}\nrun: x\n").tasks[0]
            try:
                waiting.launch(big, cluster="c", retry_until_up=True)
            except BaseException as error:
                seen.append(error)

        with cli.session(on_event=session.on_event) as waiting:
            holder = loads("resources: {infra: local, cpus: 1}\n").tasks[0]
            waiting.launch(holder, cluster="full")
            thread = threading.Thread(target=launch, daemon=True)
            thread.start()
            assert reached.wait(20)
            waiting.interrupt()
            thread.join(5)
        assert [type(error) for error in seen] == [InterruptedBySignal]
        assert session.status().clusters[0].name == "full"
        assert len(session.status().clusters) == len(cli.nodes()) == 1
