"""A machine has only so much, whoever asks; and two launches at once get along."""

from __future__ import annotations

import json

import pytest

from cli_process import Cli, finish, wait_for

pytestmark = pytest.mark.e2e

TWO_CORES = "clouds: {local: {cpus: 2}}\n"


def launch(user: Cli, name: str, **options):
    return user.run("launch", "-c", name, "-y", "-d", "--infra", "local", "--cpus", "2", "true", **options)


def test_the_second_of_two_that_exceed_the_cores_waits_for_the_end_of_the_first(cli):
    cli.settings(TWO_CORES)
    assert launch(cli, "a").code == 0
    refused = launch(cli, "b", code=5)
    assert "2 cores asked for, 0 of 2 free (held by a: 2 cores)" in refused.err
    assert cli.clusters() == ["a"]
    assert len(cli.nodes()) == 1
    told = cli.run("launch", "-c", "b", "-y", "-d", "--infra", "local", "--cpus", "2", "true", "-o", "json", code=5)
    error = json.loads(told.err.splitlines()[-1])["error"]
    assert error["attempts"][0]["infra"].startswith("local")
    assert "cores" in error["attempts"][0]["reason"]
    cli.ok("down", "a", "-y")
    assert launch(cli, "b").code == 0


def test_two_users_never_get_the_same_core_and_do_not_see_each_other(cli, new_user):
    other = new_user(SKYX_LOCAL_LEDGER=str(cli.ledger))
    cli.settings(TWO_CORES)
    other.settings(TWO_CORES)
    try:
        assert launch(cli, "same").code == 0
        assert "cores" in launch(other, "same", code=5).err
        assert other.clusters() == []
        cli.ok("stop", "same", "-y")  # a stopped cluster holds its addresses only
        assert launch(other, "same").code == 0
        cli.run("start", "same", "-y", code=5)
        heads = {user.ok("status", "-o", "json").json[0]["head"] for user in (cli, other)}
        assert len(heads) == 2
        assert cli.ok("status", "-o", "json").json[0]["status"] == "STOPPED"
    finally:
        other.clear()


def test_two_launches_of_one_name_at_once_make_one_cluster_with_two_jobs(cli):
    both = [cli.start("launch", "-c", "c", "-y", "-d", "--infra", "local", "-o", "json", "true") for _ in range(2)]
    ended = [finish(one) for one in both]
    assert [one.code for one in ended] == [0, 0], [one.err for one in ended]
    assert sorted(one.json["job_id"] for one in ended) == [1, 2]
    assert cli.clusters() == ["c"]
    assert len(cli.nodes()) == 1
    assert sorted(one.json["attempts"] for one in ended) == [0, 1]


def test_a_second_launch_that_does_not_fit_is_refused_by_field(cli):
    cli.ok("launch", "-c", "c", "-y", "-d", "--infra", "local", "true")
    misfit = cli.run("launch", "-c", "c", "-y", "-d", "--infra", "local", "--num-nodes", "3", "true")
    assert misfit.code != 0
    assert "nodes" in misfit.err
    assert "3" in misfit.err
    assert len(cli.nodes()) == 1
    assert [job["id"] for job in cli.ok("queue", "c", "-o", "json").json] == [1]


def test_a_command_that_will_not_wait_says_who_holds_the_cluster(cli):
    holder = cli.start("launch", "-c", "c", "-y", "--infra", "local", env={"SKYX_FAILPOINT": "launch.before_up=hang"})
    try:
        wait_for(lambda: cli.clusters() == ["c"], what="the record")
        busy = cli.run("down", "c", "-y", "--wait", "0", code=6)
        assert str(holder.pid) in busy.err
        assert "launch" in busy.err
        assert cli.ok("status", "-o", "json").json[0]["status"] == "INIT"
    finally:
        holder.kill()
        holder.communicate()
    cli.ok("down", "c", "-y")
    assert cli.left() == []


def test_eight_names_at_once_make_eight_clusters(cli):
    names = [f"n{index}" for index in range(8)]
    ended = [
        finish(one) for one in [cli.start("launch", "-c", n, "-y", "-d", "--infra", "local", "true") for n in names]
    ]
    assert [one.code for one in ended] == [0] * 8, [one.err for one in ended if one.code]
    assert not any("locked" in one.err for one in ended)
    rows = cli.ok("status", "-o", "json").json
    assert [row["name"] for row in rows] == names
    assert len({row["head"] for row in rows}) == 8
    assert {row["status"] for row in rows} == {"UP"}


def test_names_that_differ_only_in_case_or_dots_are_different_clusters(cli):
    for name in ("My_Job", "my-job"):
        cli.ok("launch", "-c", name, "-y", "-d", "--infra", "local", "true")
    assert len(cli.nodes()) == 2
    cli.ok("down", "my-job", "-y")
    assert cli.clusters() == ["My_Job"]
    assert len(cli.nodes()) == 1
    bad = ("1abc", "名前", "a b", "-x", "x-", "")
    tries = [cli.start("launch", f"--cluster={name}", "-y", "--infra", "local", "true") for name in bad]
    for refused in map(finish, tries):
        assert (refused.code, refused.err.count("error[")) == (2, 1)
    assert len(cli.nodes()) == 1
