"""How jobs end, as the command says it."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cli_process import Cli, wait_for
from skyx_core.results import to_json

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def gang(new_user):
    """One user with cluster ``g`` of three nodes; the state of its jobs is each test's own."""
    user: Cli = new_user()
    user.ok("launch", "-c", "g", "-y", "--infra", "local", "--num-nodes", "3")
    yield user
    user.clear()


def last_job(user: Cli) -> dict:
    """The newest, as the command would show it."""
    with user.session() as session:
        return to_json(session.queue("g")[0])


def test_each_state_has_its_exit_code(gang):
    gang.ok("exec", "g", "true")
    gang.run("exec", "g", "exit 3", code=100)
    gang.run("exec", "g", "exit 3", "--exit-status=code", code=3)
    gang.run("exec", "g", "set -o pipefail; false | cat", code=100)
    gang.run("logs", "g", "2", code=100)
    gang.ok("logs", "g", "1")
    gang.run("logs", "g", "999", code=102)
    gang.run("logs", "nope", code=3)
    gang.run("exec", "nope", "true", code=3)
    gang.run("queue", "nope", code=3)


def test_detached_jobs_end_the_command_at_once_and_can_be_cancelled(gang):
    job = gang.ok("exec", "g", "-d", "sleep 300", "-o", "json").json
    number = job["job_id"]
    wait_for(lambda: last_job(gang)["status"] == "RUNNING")
    gang.run("logs", "g", str(number), "--no-follow", code=101)
    assert gang.ok("cancel", "g", str(number), "-y", "-o", "json").json["cancelled"] == [number]
    wait_for(lambda: last_job(gang)["status"] == "CANCELLED")
    gang.run("logs", "g", str(number), code=103)
    again = gang.ok("cancel", "g", str(number), "-y", "-o", "json").json
    assert (again["cancelled"], again["already_done"]) == ([], [number])
    assert last_job(gang)["status"] == "CANCELLED"  # a final state never changes
    gang.run("cancel", "g", "999", "-y", code=3)


def sleepers() -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = entry.read_bytes().decode("utf-8", "replace").split("\0")
            if words[0] == "sleep" and words[1].startswith("423"):
                found.append(words[1])
    return sorted(found)


def test_cancelling_ends_the_whole_tree_also_what_left_its_session(gang):
    script = "(setsid sleep 4231 &) ; sh -c 'trap \"\" TERM; sleep 4232' & wait; sleep 300"
    number = gang.ok("exec", "g", "-d", script, "-o", "json").json["job_id"]
    wait_for(lambda: sleepers() == ["4231", "4232"], what="both sleepers")
    gang.ok("cancel", "g", str(number), "-y")
    wait_for(lambda: not sleepers(), limit=25, what="their end")


def test_the_first_rank_to_fail_ends_the_others_with_137(gang):
    gang.write("f.yaml", "num_nodes: 3\nrun: |\n  [ $SKYX_NODE_RANK = 1 ] && { sleep 0.3; exit 7; }\n  sleep 300\n")
    began = time.monotonic()
    gang.run("exec", "g", "f.yaml", code=100)
    assert time.monotonic() - began < 60
    job = last_job(gang)
    assert (job["status"], job["exit_codes"]) == ("FAILED", [137, 7, 137])
    assert "rank 1" in job["reason"]
    assert "worker1" in job["reason"]
    gang.run("exec", "g", "f.yaml", "--exit-status=code", code=7)


def test_codes_that_add_up_to_zero_are_failures_and_all_137_is_no_crash(gang):
    gang.write("s.yaml", "num_nodes: 2\nrun: trap  TERM; sleep 0.2; exit $((255 - 254 * SKYX_NODE_RANK))\n")
    gang.run("exec", "g", "s.yaml", code=100)
    gang.write("k.yaml", "num_nodes: 3\nrun: kill -9 $$\n")
    gang.run("exec", "g", "k.yaml", code=100)
    job = last_job(gang)
    assert job["exit_codes"] == [137, 137, 137]
    assert job["reason"]


def test_a_segmentation_fault_is_called_that(gang):
    gang.run("exec", "g", "kill -SEGV $$", code=100)
    job = last_job(gang)
    assert job["exit_codes"] == [139]
    assert "segmentation fault" in job["reason"].lower()


def test_setup_runs_on_every_node_and_its_failure_names_node_and_code(gang):
    setup = "echo on-$SKYX_SETUP_NODE_RANK; [ $SKYX_SETUP_NODE_RANK != 2 ] || exit 9"
    gang.write("u.yaml", f"num_nodes: 1\nresources: {{infra: local}}\nsetup: {setup}\nrun: echo never\n")
    done = gang.run("launch", "u.yaml", "-c", "g", "-y", code=100)
    assert {f"on-{rank}" for rank in (0, 1, 2)} == set(re.findall(r"on-\d", done.out))
    assert "never" not in done.out
    job = last_job(gang)
    assert job["status"] == "FAILED_SETUP"
    assert "worker2" in job["reason"]
    assert "9" in job["reason"]


def test_logs_can_be_cut_chosen_and_downloaded(gang):
    run = "for i in $(seq 20); do echo r$SKYX_NODE_RANK-$i; done"
    gang.write("l.yaml", f"num_nodes: 2\nrun: {run}\n")
    number = gang.ok("exec", "g", "l.yaml", "-o", "json").json["job_id"]
    one = gang.ok("logs", "g", str(number), "--rank", "1").lines
    assert one == [f"(worker1, rank=1) r1-{i}" for i in range(1, 21)]
    assert len(gang.ok("logs", "g", "--tail", "3").lines) == 3
    rows = gang.ok("logs", "g", "-o", "json").records()
    assert {(row["rank"], row["node"]) for row in rows} == {(0, "head"), (1, "worker1")}
    assert [row["text"] for row in rows if row["rank"] == 0] == [f"r0-{i}" for i in range(1, 21)]
    files = gang.ok("logs", "g", str(number), "--download", "got").lines
    assert len(files) == 2
    assert sorted(len((gang.cwd / file).read_text().splitlines()) for file in files) == [20, 20]


def test_every_job_knows_its_place_under_both_names(gang):
    names = "NODE_RANK NODE_IPS NUM_NODES NUM_GPUS_PER_NODE TASK_ID INTERNAL_JOB_ID CLUSTER_INFO"
    same = '[ "${!a}" = "${!b}" ] && [ -n "${!a+x}" ]'
    script = f"for n in {names}; do a=SKYX_$n; b=SKYPILOT_$n; {same} || exit 5; done"
    gang.write("n.yaml", f'num_nodes: 3\nrun: |\n  {script}\n  echo $SKYX_NUM_NODES:$(echo "$SKYX_NODE_IPS" | wc -l)\n')
    done = gang.ok("exec", "g", "n.yaml")
    assert len(re.findall(r"3:3$", done.out, re.M)) == 3
