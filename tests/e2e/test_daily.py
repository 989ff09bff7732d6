"""What users rely on daily: one test for each sentence of the contract, in its order (the second half is next door)."""

from __future__ import annotations

import re

import pytest

from cli_process import wait_for

pytestmark = pytest.mark.e2e

TASK = "name: t\nresources: {infra: local}\nworkdir: wd\nsetup: echo setting-up\nrun: cat note.txt\n"


def test_01_exec_syncs_and_runs_only_while_launch_syncs_and_sets_up_again(shared):
    shared.write("wd/note.txt", "one\n")
    shared.write("t.yaml", TASK)
    first = shared.ok("launch", "t.yaml", "-c", "c", "-y")
    assert re.findall(r"\) (.*)", first.out) == ["setting-up", "one"]
    shared.write("wd/note.txt", "two\n")
    assert re.findall(r"\) (.*)", shared.ok("exec", "c", "t.yaml").out) == ["two"]
    shared.write("wd/note.txt", "three\n")
    again = shared.ok("launch", "t.yaml", "-c", "c", "-y")
    assert re.findall(r"\) (.*)", again.out) == ["setting-up", "three"]


def test_02_launch_without_a_task_only_brings_a_cluster_up_and_makes_a_name(cli):
    made = cli.ok("launch", "-y", "--infra", "local", "-o", "json")
    assert made.json["job_id"] is None
    name = made.json["cluster"]
    assert name in made.err
    [row] = cli.ok("status", "-o", "json").json
    assert (row["name"], row["status"], row["num_nodes"]) == (name, "UP", 1)
    assert cli.ok("queue", name, "-o", "json").json == []


def test_03_a_command_may_be_several_words_and_a_word_in_yaml_is_a_file(shared):
    assert shared.ok("exec", "c", "echo", "a  b", "$HOME").out.startswith("(head, rank=0) a  b /")
    assert shared.ok("exec", "c", "--", "echo", "--num-nodes", "x").out == "(head, rank=0) --num-nodes x\n"
    missing = shared.run("launch", "absent.yml", "-y", code=2)
    assert "absent.yml" in missing.err
    assert shared.clusters() == ["c"]


def test_03_a_command_runs_on_one_node_and_num_nodes_asks_for_more(cli):
    both = cli.ok("launch", "-c", "two", "-y", "--infra", "local", "--num-nodes", "2", "echo rank=$SKYX_NODE_RANK")
    assert sorted(re.findall(r"rank=\d$", both.out, re.M)) == ["rank=0", "rank=1"]
    one = cli.ok("exec", "two", "echo rank=$SKYX_NODE_RANK of $SKYX_NUM_NODES")
    assert re.findall(r"rank=\d of.*", one.out) == ["rank=0 of 1"]


def test_04_unknown_names_among_several_do_not_stop_the_others(cli):
    cli.ok("launch", "-c", "a", "-y", "--infra", "local")
    ended = cli.run("down", "nope", "a", "-y", code=3)
    assert "nope" in ended.err
    assert cli.left() == []
    assert cli.run("down", "a", "-y", code=3).err.count("error[") == 1
    cli.run("down", "a", "-y", code=3)
    some = cli.run("status", "a", code=3)
    assert "a" in some.err


def test_05_relative_paths_start_here_and_targets_at_the_workdir_and_what_jobs_wrote_stays(shared):
    shared.write("src/wd/code.txt", "code\n")
    shared.write("src/one.txt", "1\n")
    shared.write("src/dir/two.txt", "2\n")
    task = "resources: {infra: local}\nworkdir: src/wd\nfile_mounts:\n  in/one: src/one.txt\n  ~/dir: ./src/dir\n"
    shared.write(
        "m.yaml", f"{task}run: cat code.txt in/one ~/dir/two.txt && ls -ld ~/sky_workdir/code.txt && date > made\n"
    )
    out = shared.ok("exec", "c", "m.yaml").out
    assert re.findall(r"\) (\S+)$", out, re.M)[:3] == ["code", "1", "2"]
    shared.write("src/wd/code.txt", "code2\n")
    shared.ok("exec", "c", "m.yaml")
    assert "code2" in shared.ok("exec", "c", "ls ~/skyx_workdir/made && cat ~/sky_workdir/code.txt").out


def test_06_bashrc_and_unbuffered_and_nothing_of_the_caller_and_shebangs(shared):
    shared.ok("exec", "c", "echo 'export FROM_RC=seen; alias ll=ls' >> ~/.bashrc")
    values = shared.ok(
        "exec", "c", "env; echo rc=$FROM_RC", env={"CALLERS_OWN": "leak", "AWS_SECRET_ACCESS_KEY": "leak"}
    )
    assert "rc=seen" in values.out
    assert "PYTHONUNBUFFERED=1" in values.out
    assert "leak" not in values.out
    assert str(shared.home / "state") not in values.out
    shared.write(
        "s.yaml", "run: |\n  #!/usr/bin/env python3\n  import sys\n  print('by', sys.executable[-7:-1] + 'n')\n"
    )
    assert "by python" in shared.ok("exec", "c", "s.yaml").out


def test_07_a_request_without_amounts_reserves_nothing_and_cpu_jobs_run_side_by_side(cli):
    cli.settings("clouds: {local: {cpus: 1}}\n")
    cli.write("all.yaml", "resources: {infra: local, cpus: 1}\nrun: 'true'\n")
    cli.ok("launch", "all.yaml", "-c", "full", "-y", "-d")
    cli.ok("launch", "-c", "free", "-y", "--infra", "local")
    meet = "touch ~/{mine}; for i in $(seq 500); do test -e ~/{other} && exit 0; sleep 0.02; done; exit 9"
    cli.ok("exec", "free", "-d", meet.format(mine="a", other="b"))
    cli.ok("exec", "free", meet.format(mine="b", other="a"))
    with cli.session() as session:
        wait_for(lambda: {job.status for job in session.queue("free")} == {"SUCCEEDED"})
