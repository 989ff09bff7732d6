"""Plugins of third parties at the command line: what they may do, and what they can't break."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_process import Cli

pytestmark = pytest.mark.e2e

POLICY = """
import os, sys
print("printed at import")
sys.stdout.flush()
os.write(1, b"written at import\\n")
from skyx_core.api import hookimpl

class Policy:
    @hookimpl
    def skyx_check_launch(self, task, requests, candidates):
        print("printed in a hook")
        os.write(1, b"written in a hook\\n")
        if task.num_nodes > 2:
            return f"more than 2 nodes are not allowed here, {task.num_nodes} were asked for"

    @hookimpl
    def skyx_event(self, event):
        print("event", event.kind)
        with open(os.environ["SEEN"], "a") as file:
            file.write(f"{event.kind}\\n")
"""
EXITING = "import sys\nsys.exit(3)\n"
CLOUD = "skyx_policy = 1\nraise OSError('disk on fire')\n"


def install(site: Path, name: str, files: dict[str, str], points: str) -> None:
    info = site / f"{name.replace('-', '_')}-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text(points)
    for file, text in files.items():
        (site / file).write_text(text)


@pytest.fixture
def plugged(cli: Cli, tmp_path: Path) -> Cli:
    """A user with a chatty policy, a listener that leaves, and a cloud that can't be imported."""
    site = tmp_path / "site"
    install(site, "skyx-policy", {"skyx_policy.py": POLICY}, "[skyx.plugins]\npolicy = skyx_policy:Policy\n")
    install(site, "skyx-leaving", {"skyx_leaving.py": EXITING}, "[skyx.plugins]\nleaving = skyx_leaving:X\n")
    install(site, "skyx-burning", {"skyx_burning.py": CLOUD}, "[skyx.clouds]\nburning = skyx_burning:Cloud\n")
    cli.extra.update(PYTHONPATH=str(site), SEEN=str(tmp_path / "seen"))
    return cli


def test_a_policy_refuses_by_name_and_watches_and_json_stays_clean(plugged):
    words = ("launch", "-c", "c", "-y", "--infra", "local", "-o", "json")
    refused = plugged.run(*words, "--num-nodes", "3", "echo hi", code=1)
    assert refused.out == ""
    assert "SKYX-E960" in refused.err
    assert "policy" in refused.err
    assert "more than 2 nodes" in refused.err
    assert plugged.left() == []

    launched = plugged.ok(*words, "--num-nodes", "2", "echo hi")
    assert json.loads(launched.out)["cluster"] == "c"
    assert len(launched.lines) == 1
    assert "leaving" in launched.err  # said once, and the launch goes on
    seen = Path(plugged.extra["SEEN"]).read_text().split()
    assert seen[0] != "cluster_up"
    assert {"attempt_started", "cluster_up", "job_submitted"} <= set(seen)
    for what in (("status",), ("queue", "c"), ("plugins",)):
        plugged.ok(*what, "-o", "json").json  # noqa: B018 - nothing but JSON is there


def test_without_plugins_nobody_watches_or_refuses(plugged):
    words = ("-y", "-d", "--infra", "local", "--num-nodes", "3")
    plugged.ok("launch", "-c", "a", *words, "--no-plugins", "true")
    plugged.ok("launch", "-c", "b", *words, "true", env={"SKYX_DISABLE_PLUGINS": "policy,leaving"})
    assert not Path(plugged.extra["SEEN"]).exists()


def test_what_is_installed_is_listed_without_importing_and_checked_on_demand(plugged):
    listed = {row["name"]: row for row in plugged.ok("plugins", "-o", "json").json}
    assert {"local", "policy", "leaving", "burning"} <= set(listed)
    assert {row["status"] for row in listed.values()} == {"installed"}
    assert listed["policy"]["distribution"] == "skyx-policy"
    assert listed["policy"]["version"] == "1.5"
    assert not Path(plugged.extra["SEEN"]).exists()
    checked = {row["name"]: row for row in json.loads(plugged.run("plugins", "--check", "-o", "json").out)}
    assert checked["local"]["status"] == "ok"
    assert checked["local"]["load_ms"] > 0
    assert checked["policy"]["status"] == "ok"
    assert checked["burning"]["status"] == "broken"
    assert "disk on fire" in checked["burning"]["error"]
    assert checked["leaving"]["status"] == "broken"


def test_a_broken_cloud_is_named_only_where_it_is_asked_for(plugged):
    plugged.ok("plan", "-o", "json", str(plugged.write("t.yaml", "resources: {infra: local}\nrun: x\n")))
    asked = plugged.run("launch", "-c", "c", "-y", "--infra", "burning", "true")
    assert asked.code != 0
    assert "burning" in asked.err
    assert "disk on fire" in asked.err
    assert plugged.left() == []
    health = {row["cloud"]: row["ok"] for row in json.loads(plugged.run("check", "-o", "json").out)}
    assert health == {"burning": False, "local": True}
