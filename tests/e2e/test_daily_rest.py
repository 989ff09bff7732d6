"""What users rely on daily: the sentences from the eighth on."""

from __future__ import annotations

import json
import time

import pytest

from cli_process import finish, reader, wait_for
from skyx_core.testing import shared_clock

pytestmark = pytest.mark.e2e


def test_08_variables_come_from_the_flag_then_the_file_then_the_yaml(shared):
    shared.write("e.yaml", "envs: {A: yaml, B: yaml, C: yaml, D: null}\nrun: echo =$A,$B,$C,$D,$SKYX_NODE_RANK=\n")
    shared.write("vars.env", "# comment\nexport A=file\nB=file=x\n\n")
    args = ("exec", "c", "e.yaml", "--env-file", "vars.env", "--env", "A=flag", "--env", "D")
    done = shared.ok(*args, env={"D": "callers", "SKYX_NODE_RANK": "7"})
    assert "=flag,file=x,yaml,callers,0=" in done.out
    assert "--env D" in shared.run("exec", "c", "e.yaml", code=2).err
    assert "D" in shared.run(*args, code=2).err  # named, but not set here
    shared.write("s.yaml", "secrets: {TOKEN: null}\nrun: test $TOKEN = hidden\n")
    shared.run("exec", "c", "s.yaml", code=2)
    shared.ok("exec", "c", "s.yaml", "--secret", "TOKEN", env={"TOKEN": "hidden"})


def test_08_variables_of_jobs_are_never_settings(shared):
    names = ("NODE_RANK", "NODE_IPS", "NUM_NODES", "NUM_GPUS_PER_NODE", "TASK_ID", "INTERNAL_JOB_ID", "CLUSTER_INFO")
    noise = {f"SKYX_{name}": "{odd" for name in names}
    assert shared.ok("status", "-o", "json", env=noise).json == shared.ok("status", "-o", "json").json


def test_09_a_failed_job_or_setup_leaves_the_cluster_up(shared):
    shared.run("exec", "c", "exit 3", code=100)
    shared.write("f.yaml", "resources: {infra: local}\nsetup: exit 4\nrun: echo never\n")
    failed = shared.run("launch", "f.yaml", "-c", "c", "-y", code=100)
    assert "never" not in failed.out
    [row] = shared.ok("status", "c", "-o", "json").json
    assert row["status"] == "UP"
    job = shared.ok("queue", "c", "-o", "json").json[0]
    assert job["status"] == "FAILED_SETUP"
    assert "4" in job["reason"]
    assert "head" in job["reason"]


@pytest.mark.parametrize("script", ["true", "exit 1"])
def test_09_down_alone_means_down_as_soon_as_idle(cli, script):
    began = time.monotonic()
    cli.run("launch", "-c", "d", "-y", "--infra", "local", "--down", script, code=0 if script == "true" else 100)
    wait_for(lambda: not cli.left(), limit=15, what="the end of the cluster")
    assert time.monotonic() - began < 25
    assert cli.ok("status", "-o", "json").json == []


def test_09_autostop_is_due_by_the_clusters_own_clock(new_user, tmp_path):
    with shared_clock(tmp_path) as (clock, variables):
        user = new_user(**variables)
        try:
            user.ok("launch", "-c", "a", "-y", "--infra", "local", "-i", "30")
            with user.session() as session:
                [row] = session.status().clusters
                assert row.autostop is not None
                assert (row.autostop["idle_minutes"], row.autostop["down"]) == (30, False)
                clock.advance(29 * 60)
                time.sleep(0.5)
                assert session.status().clusters[0].status == "UP"
                clock.advance(2 * 60)
                wait_for(lambda: session.status().clusters[0].status == "STOPPED", limit=20)
        finally:
            user.clear()
        assert user.left() == []


def test_10_log_text_arrives_within_a_second_and_as_it_was_written(shared):
    long = "x" * 5000
    script = f"printf '\\033[35mviolet\\033[0m %s\\n' {long}; until test -e ~/go; do sleep 0.05; done; echo end"
    process = shared.start("exec", "c", script)
    read, line = reader(process), f"\x1b[35mviolet\x1b[0m {long}\n".encode()
    wait_for(lambda: line in read(), limit=20, what="the line while the job runs")
    shared.ok("exec", "c", "touch ~/go; date +%s.%N > ~/when")
    assert finish(process).code == 0


def test_11_validate_looks_at_the_file_alone(cli):
    text = (
        "envs: {N: null}\nworkdir: not/there\nresources: {infra: aws/us-east-1}\nfile_mounts: {/d: ./absent}\nrun: x\n"
    )
    cli.write("v.yaml", text)
    [row] = cli.ok("validate", "v.yaml", "-o", "json").json
    assert row["ok"]
    assert row["errors"] == []
    assert len(row["warnings"]) >= 2
    assert cli.nothing_made()


def test_12_several_tasks_are_planned_and_validated_but_not_launched(cli):
    cli.write(
        "p.yaml",
        "name: p\n---\nresources: {infra: local}\nrun: one\n---\nnum_nodes: 2\nresources: {infra: local}\nrun: two\n",
    )
    assert [task["num_nodes"] for task in cli.ok("plan", "p.yaml", "-o", "json").json["tasks"]] == [1, 2]
    [row] = cli.ok("validate", "p.yaml", "-o", "json").json
    assert (row["ok"], row["tasks"]) == (True, 2)
    refused = cli.run("launch", "p.yaml", "-c", "p", "-y", "-o", "json", code=2)
    assert "pipeline" in refused.err
    error = json.loads(refused.err.splitlines()[-1])["error"]
    assert error["exit_code"] == 2
    assert cli.nothing_made()
