"""Jobs on a real agent: what runs, with what around it, and what is recorded of its end."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import pytest

from unit.agent.client import AgentRefusal, Client, Head, eventually, marked


@pytest.fixture(scope="module")
def client(shared_head: Head) -> Client:
    return shared_head.up(nodes=3, gpus=["4", "5"])


def test_a_job_goes_from_submit_to_a_recorded_success(client: Client) -> None:
    job = client.wait(client.submit("echo hi", name="greet"))
    assert (job["status"], job["exit_codes"], job["name"], job["reason"]) == ("SUCCEEDED", [0], "greet", "")
    assert job["submitted_at"] <= job["started_at"] <= job["ended_at"]
    assert client.text(job["id"]) == "hi\n"


def test_the_same_submit_id_is_queued_once(client: Client) -> None:
    first = client.submit("true", submit_id="once")
    assert client.submit("true", submit_id="once") == first
    client.wait(first)
    assert client.submit("true", submit_id="once") == first


def test_a_gang_sees_its_ranks_and_each_others_addresses_under_both_names(client: Client) -> None:
    script = (
        'echo "$SKYX_NODE_RANK|$SKYPILOT_NODE_RANK|$SKYX_NODE_IPS|$SKYX_NUM_NODES|$SKYX_TASK_ID|$SKYX_INTERNAL_JOB_ID"'
        '; echo "$SKYPILOT_NUM_GPUS_PER_NODE $CUDA_VISIBLE_DEVICES $HOME $PYTHONUNBUFFERED"; echo "$SKYX_CLUSTER_INFO"'
    )
    job = client.submit(script, num_nodes=3, accelerators={"H100": 2}, task_id="t-9")
    assert client.wait(job)["exit_codes"] == [0, 0, 0]
    for rank in range(3):
        first, *rest = client.text(job, ranks=[rank]).split("|")
        assert first == str(rank)
        assert rest[1].split("\n") == ["127.9.0.1", "127.9.0.2", "127.9.0.3"]
        last = "|".join(rest).splitlines()
        assert last[2] == f"127.9.0.3|3|t-9|{job}"
        assert last[3].split()[:2] == ["2", "4,5"]
        assert last[3].split()[2].endswith(f"home{rank}")
        assert json.loads(last[4])["cloud"] == "local"


def test_only_what_was_asked_for_is_in_the_environment(client: Client, shared_head: Head) -> None:
    job = client.submit("env -0")
    client.wait(job)
    names = {entry.partition("=")[0] for entry in client.text(job).split("\0") if entry}
    known = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "PWD", "SHLVL", "_", "PYTHONUNBUFFERED"}
    assert {name for name in names - known if not name.startswith(("SKYX_", "SKYPILOT_"))} == {
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",
    }


def test_cuda_devices_are_hidden_from_jobs_without_and_untouched_in_setup(client: Client) -> None:
    job = client.submit('echo "run=[$CUDA_VISIBLE_DEVICES]"', setup='echo "setup=[${CUDA_VISIBLE_DEVICES-unset}]"')
    client.wait(job)
    assert client.text(job).count("setup=[unset]") == 3
    assert "run=[]" in client.text(job)


def test_fractions_share_one_accelerator(client: Client) -> None:
    wait = "echo $CUDA_VISIBLE_DEVICES; while [ ! -e ~/fractions ]; do sleep 0.02; done"
    jobs = [client.submit(wait, accelerators={"H100": 0.5}) for _ in range(2)]
    assert eventually(lambda: all(client.text(job) for job in jobs))
    seen = [client.text(job) for job in jobs]
    client.wait(client.submit("touch ~/fractions"))
    assert [client.wait(job)["status"] for job in jobs] == ["SUCCEEDED"] * 2
    assert seen[0] == seen[1] == "4\n"
    client.wait(client.submit("rm ~/fractions"))


def test_scripts_per_rank_and_nothing_to_do_for_one(client: Client) -> None:
    job = client.submit(["echo a", None, "echo c"], num_nodes=3)
    assert client.wait(job)["exit_codes"] == [0, 0, 0]
    assert client.text(job) == "a\nc\n"


def test_a_job_may_have_setup_only_or_nothing(client: Client) -> None:
    assert client.wait(client.submit(None, setup="echo x"))["status"] == "SUCCEEDED"
    assert client.wait(client.submit(None))["status"] == "SUCCEEDED"


def test_setup_runs_on_every_node_before_run_and_knows_where_it_is(client: Client) -> None:
    job = client.submit("echo run", setup='echo "setup $SKYX_SETUP_NODE_RANK $(echo $SKYPILOT_SETUP_NODE_IPS)"')
    client.wait(job)
    lines = client.text(job).splitlines()
    assert sorted(lines[:3]) == [f"setup {rank} 127.9.0.1 127.9.0.2 127.9.0.3" for rank in range(3)]
    assert lines[3:] == ["run"]


def test_failed_setup_names_nodes_and_codes_and_nothing_runs(client: Client) -> None:
    job = client.wait(
        client.submit("echo run", setup='[ "$SKYX_SETUP_NODE_RANK" = 0 ] || exit $((SKYX_SETUP_NODE_RANK + 4))')
    )
    assert job["status"] == "FAILED_SETUP"
    assert "worker1 (exit code 5)" in job["reason"]
    assert "worker2 (exit code 6)" in job["reason"]
    assert "run" not in client.text(job["id"])


def test_first_failure_ends_the_others_with_137(client: Client) -> None:
    job = client.wait(client.submit(["sleep 60", "sleep 60", "exit 3"], num_nodes=3))
    assert (job["status"], job["exit_codes"]) == ("FAILED", [137, 137, 3])
    assert job["reason"] == "rank 2 (node worker2) failed first with exit code 3"


def test_codes_are_never_added_up(client: Client) -> None:
    job = client.wait(client.submit(["exit 255", "sleep 0.3; exit 1"], num_nodes=2))
    assert (job["status"], job["exit_codes"][0]) == ("FAILED", 255)


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("kill -SEGV $$", 139, "segmentation fault"),
        ("kill -KILL $$", 137, "killed (signal 9)"),
        ("no-such-program-here", 127, "command not found"),
        ("set -o pipefail; false | cat", 1, "exit code 1"),
        ("set -e; false; true", 1, "exit code 1"),
    ],
)
def test_causes_are_named(client: Client, script: str, code: int, words: str) -> None:
    job = client.wait(client.submit(script, num_nodes=1))
    assert (job["status"], job["exit_codes"]) == ("FAILED", [code])
    assert words in job["reason"]


def test_all_ranks_killed_is_a_failure_with_a_cause(client: Client) -> None:
    job = client.wait(client.submit("kill -KILL $$", num_nodes=3))
    assert (job["status"], job["exit_codes"]) == ("FAILED", [137, 137, 137])
    assert "exit code 137: killed (signal 9)" in job["reason"]


def test_long_and_strange_scripts_arrive_byte_for_byte(client: Client, shared_head: Head) -> None:
    tail = "\n: '\"$`!\t\\ ${VAR} \u00e9 \U0001f680'\nexit 0\r\nEOF\n"
    script = "sha256sum < \"$0\"\n: <<'X'\n" + ("x" * 99 + "\r\n") * 20_000 + "X" + tail + "\udcff\udcfe"
    expected = hashlib.sha256(script.encode("utf-8", "surrogateescape")).hexdigest()
    job = client.submit(script, num_nodes=1)
    client.wait(job)
    assert client.text(job).startswith(expected)


def test_a_script_with_an_interpreter_line_is_run_by_it(client: Client) -> None:
    job = client.submit("#!/usr/bin/env python3\nimport sys\nprint(sys.argv[0][-6:], 3 + 4)\nsys.exit(9)\n")
    assert client.wait(job)["exit_codes"] == [9]
    assert client.text(job) == "run.sh 7\n"


def test_values_arrive_byte_for_byte(client: Client) -> None:
    values = {"P": 'a"b', "J": '{"k": 1}', "W": "C:\\new", "M": "l1\nl2\n", "E": "", "Q": "it's $HOME `x` !"}
    values.update({"RAW": "\udcff", "stat": "s", "code": "c"})
    job = client.submit(
        'for n in P J W M E Q RAW stat code T; do printf "%s=%s\\0" $n "${!n}"; done',
        envs=values,
        secrets={"T": "s3\n"},
    )
    client.wait(job)
    raw = b"".join(data for _, data in client.chunks(job))
    found = dict(entry.split(b"=", 1) for entry in raw.split(b"\0") if entry)
    assert found == {
        key.encode(): value.encode("utf-8", "surrogateescape") for key, value in {**values, "T": "s3\n"}.items()
    }


def test_bashrc_is_read_and_does_not_win_over_the_jobs_own_values(head: Head) -> None:
    client = head.up()
    (head.root / "home0" / ".bashrc").write_text("export FROM_RC=1 MINE=overwritten\ngreet() { echo hello $1; }\n")
    job = client.submit('greet "$FROM_RC" ; printf "%s" "$MINE"; echo "${BASH_ENV-none}"', envs={"MINE": "m'\"\n\n"})
    client.wait(job)
    assert client.text(job) == "hello 1\nm'\"\n\nnone\n"


def test_run_starts_in_the_workdir_or_home_and_a_missing_one_is_said(client: Client, shared_head: Head) -> None:
    (shared_head.root / "home1").mkdir(exist_ok=True)
    job = client.submit("pwd")
    client.wait(job)
    assert client.text(job).strip().endswith("home0")
    (shared_head.root / "home0" / "skyx_workdir").mkdir()
    job = client.submit("pwd")
    client.wait(job)
    assert client.text(job).strip().endswith("home0/skyx_workdir")
    (shared_head.root / "home0" / "skyx_workdir").rmdir()
    job = client.wait(client.submit("pwd", workdir="~/gone"))["id"]
    assert "gone can't be entered" in client.text(job)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"num_nodes": 4}, "asks for 4 nodes; cluster c has 3"),
        ({"accelerators": {"H100": 3}}, "asks for 3 accelerators on each of 1 node"),
        ({"accelerators": {"H100": 1.5}}, "takes whole ones, or a part of a single one"),
        ({"envs": {"KEY": "a\0b"}}, "value of KEY holds a NUL"),
        ({"envs": {"HUGE": "x" * 200_000}}, "HUGE takes 200005 bytes"),
        ({"secrets": {f"K{n}": "x" * 100_000 for n in range(12)}}, "K10 is the one that is too much"),
        ({"envs": {"A-B": "x"}}, "'A-B' can't be the name"),
        ({"envs": {"A": 1}}, "envs.A must be a text"),
        ({"num_nodes": 0}, "num_nodes must be 1 or more"),
        ({"run": ["a"], "num_nodes": 2}, "run has 1 scripts for 2 ranks"),
        ({"run": "\ud800"}, "no bytes"),
        ({"name": "\udcff"}, "name is not valid Unicode"),
        ({"submit_id": ""}, "submit_id must not be empty"),
    ],
)
def test_what_can_not_be_done_is_refused_at_submit(client: Client, fields: dict[str, object], words: str) -> None:
    before = client.ask("status")["jobs"]
    with pytest.raises(AgentRefusal, match=words):
        client.submit(**{"run": "true", **fields})
    assert client.ask("status")["jobs"] == before


def test_secrets_leave_no_trace(client: Client, shared_head: Head) -> None:
    secret = "hunter2-very-secret"
    job = client.submit('sleep 0.3; echo "${#TOKEN}"', secrets={"TOKEN": secret})
    seen = ""
    while not client.ask("job", job_id=job)["job"]["ended_at"]:
        for pid in marked(f"uid-{shared_head.root.name}:{job}:"):
            path = Path(f"/proc/{pid}/cmdline")
            seen += path.read_text(errors="replace") if path.exists() else ""
        time.sleep(0.02)
    assert "run.sh" in seen
    assert secret not in seen
    assert secret not in json.dumps(client.ask("queue")["jobs"])
    for path in shared_head.dir.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_unknown_jobs_are_refused_and_waits_end_in_time(client: Client) -> None:
    with pytest.raises(AgentRefusal) as refusal:
        client.ask("wait", job_id=99999, timeout=1)
    assert refusal.value.code == "unknown_job"
    job = client.submit("sleep 20")
    assert client.ask("wait", job_id=job, timeout=0.1)["done"] is False
    assert client.ask("cancel", jobs=[job])["cancelled"] == [job]
