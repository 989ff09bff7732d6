"""The commands by name. A test holds that each summary is the command's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.cli.group import Entry, LazyGroup
from skyx_core.cli.third_party import load_command, names

if TYPE_CHECKING:
    import click

RUN, LOOK, LIFE, FILES, SETUP = (
    "Run",
    "Look",
    "Clusters",
    "Task files",
    "Set-up",
)

TABLE: dict[str, Entry] = {
    "launch": Entry(RUN, "launch:launch", "Bring a cluster up and run a task or a command on it."),
    "exec": Entry(RUN, "exec:exec_", "Run one more job on a cluster that is up."),
    "plan": Entry(RUN, "plan:plan", "Show where a task could run, at what price, and why not elsewhere."),
    "status": Entry(LOOK, "status:status", "List clusters."),
    "queue": Entry(LOOK, "jobs:queue", "List the jobs of a cluster, or of all."),
    "logs": Entry(LOOK, "logs:logs", "Show what a job wrote, as it comes."),
    "cancel": Entry(LOOK, "jobs:cancel", "End jobs that wait or run."),
    "explain": Entry(LOOK, "explain:explain", "Show every decision of the launches of a cluster."),
    "classify": Entry(LOOK, "classify:classify", "Say what recorded errors of a cloud would do."),
    "blocks": Entry(LOOK, "blocks:blocks", "Show what is not tried for now, or try it again."),
    "cost-report": Entry(LOOK, "cost_report:cost_report", "Show what clusters that are and were cost, by list prices."),
    "stop": Entry(LIFE, "lifecycle:stop", "Stop clusters; their files stay."),
    "start": Entry(LIFE, "lifecycle:start", "Start stopped clusters again."),
    "down": Entry(LIFE, "lifecycle:down", "Take clusters down for good, with their files."),
    "autostop": Entry(LIFE, "lifecycle:autostop", "Let clusters end themselves once idle."),
    "validate": Entry(FILES, "validate:validate", "Check task files by themselves."),
    "init": Entry(FILES, "files:init", "Write a task file to start from."),
    "schema": Entry(FILES, "files:schema", "Print the JSON Schema of task files."),
    "check": Entry(SETUP, "check:check", "Check credentials, permissions and tools of each cloud."),
    "plugins": Entry(SETUP, "plugins:plugins", "List what is installed, without importing it."),
    "show-gpus": Entry(SETUP, "catalog:show_gpus", "List accelerators on offer and their prices."),
    "catalog": Entry(SETUP, "catalog:catalog", "Look into the catalogues of offers, import and update them."),
    "config": Entry(SETUP, "settings:config", "Show the settings and where each comes from."),
    "completion": Entry(SETUP, "completion:completion", "Print a shell's completion script."),
}


def build() -> click.Group:
    """The whole command line; nothing but names is loaded."""
    return LazyGroup(TABLE, third_party=names, load_third_party=load_command)
