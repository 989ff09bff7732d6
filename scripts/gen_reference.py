"""Write the reference pages from the code: ``docs/reference/{cli,yaml,settings}.md``.

``--check`` writes nothing and ends with 1 if a committed page differs from what the code says now.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from skyx_core.cli.app import App
from skyx_core.cli.group import CommonOption, LazyGroup
from skyx_core.cli.streams import Streams
from skyx_core.cli.tree import TABLE, build
from skyx_core.settings import TABLE as SETTINGS
from skyx_core.task import json_schema

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
MADE = "<!-- made by scripts/gen_reference.py; change the code, not this page -->\n"

EXIT_CODES = (
    ("0", "done"),
    ("1", "failed"),
    ("2", "usage, a bad task file, or a question that could not be shown"),
    ("3", "no such cluster or job"),
    ("4", "credentials"),
    ("5", "no capacity or quota anywhere"),
    ("6", "busy: another command holds the cluster"),
    ("7", "something may be left in a cloud"),
    ("100", "`launch`, `exec`, `logs`: the job failed"),
    ("101", "`launch`, `exec`, `logs`: the job has not finished"),
    ("102", "`logs`: no such job"),
    ("103", "`launch`, `exec`, `logs`: the job was cancelled"),
    ("130", "interrupted"),
)

FIELDS = {
    "name": "A name for lists and logs; free text.",
    "workdir": "A folder copied to `~/skyx_workdir` on every node, or a git repository.",
    "num_nodes": "Nodes that run the task as a gang; 1 unless given.",
    "resources": "Where to run, and on what.",
    "envs": "Variables of setup and run. A value left out must be given with `--env`.",
    "secrets": "The same, never shown.",
    "file_mounts": "Target path to a local path, a bucket's address, or a storage mapping.",
    "volumes": "Target path to a volume.",
    "setup": "A bash script that runs on every node first.",
    "run": "A bash script that runs on `num_nodes` nodes at once.",
    "infra": "`cloud`, `cloud/region` or `cloud/region/zone`; `*` leaves a part open.",
    "cloud": "The cloud alone.",
    "region": "The region alone.",
    "zone": "The zone alone.",
    "instance_type": "One type of machine.",
    "cpus": "vCPUs per node: `4`, or `4+` for at least.",
    "memory": "GB per node, likewise.",
    "accelerators": "`H100:8`; a list is tried in order; a mapping without counts means any of them.",
    "use_spot": "Machines that the cloud may take back.",
    "ports": "A port, a range `8000-8010`, or a list of both.",
    "any_of": "Alternatives, the cheapest first. Each inherits the fields beside it.",
    "ordered": "Alternatives in the order of your wish.",
    "autostop": "Minutes, true, or a mapping: end the cluster once it is idle.",
    "idle_minutes": "Idle minutes before the end; 0 = as soon as idle.",
    "down": "Down instead of stop.",
    "wait_for": "What counts as not idle: `jobs_and_ssh`, `jobs` or `none`.",
    "image_id": "A machine image, `docker:IMAGE`, or a mapping from region to image.",
    "disk_size": "GB.",
    "max_hourly_cost": "US dollars per hour, of all nodes together.",
    "labels": "Put on every machine.",
    "accelerator_args": "What some accelerators need besides.",
    "disk_tier": "Speed of the disk.",
    "network_tier": "Speed of the network.",
    "local_disk": "Disks within the machine.",
    "gpus": "Another name of `accelerators`.",
    "spot_recovery": "Another name of `job_recovery`.",
    **dict.fromkeys(
        (
            *("service", "pool", "config", "inputs", "outputs", "event_callback", "experimental", "execution"),
            *("primary_tasks", "termination_delay", "api_server_access", "job_recovery", "priority"),
        ),
        "Read and kept; nothing acts on it yet.",
    ),
}


def cli_page() -> str:
    """Every command with its help, arguments and flags."""
    group = build()
    assert isinstance(group, LazyGroup)
    app = App(Streams(_nowhere, _nowhere), environ={}, cwd="/")
    app.flags["no_plugins"] = True
    parts = [MADE, "# Commands\n", "`-h` or `--help` after any command says the same in the terminal.\n"]
    with click.Context(group, info_name="skyx", obj=app) as ctx:
        for name in TABLE:
            command = group.get_command(ctx, name)
            assert command is not None
            parts += _command(ctx, name, command, level=2)
        common = [row for p in group.get_params(ctx) if isinstance(p, CommonOption) and (row := p.get_help_record(ctx))]
    parts += ["## Flags of every command\n", _rows(("flag", "meaning"), common, code_first=True)]
    parts += ["## Exit codes\n", _rows(("code", "meaning"), EXIT_CODES, code_first=True)]
    return "\n".join(parts)


def _command(parent: click.Context, name: str, command: click.Command, *, level: int) -> Iterator[str]:
    with click.Context(command, info_name=name, parent=parent) as ctx:
        yield f"{'#' * level} {ctx.command_path}\n"
        yield f"```text\n{' '.join([ctx.command_path, *command.collect_usage_pieces(ctx)])}\n```\n"
        yield f"{_prose(command.help or '')}\n"
        flags = [p for p in command.get_params(ctx) if isinstance(p, click.Option) and "--help" not in p.opts]
        records = [row for p in flags if not isinstance(p, CommonOption) and (row := p.get_help_record(ctx))]
        if records:
            yield _rows(("flag", "meaning"), records, code_first=True)
        if isinstance(command, click.Group):
            for inner in command.list_commands(ctx):
                found = command.get_command(ctx, inner)
                assert found is not None
                yield from _command(ctx, inner, found, level=level + 1)


def _prose(text: str) -> str:
    """A docstring's paragraphs without its indentation."""
    import inspect

    return inspect.cleandoc(text).replace("``", "`")


def _rows(headers: tuple[str, str], rows: object, *, code_first: bool) -> str:
    assert isinstance(rows, list | tuple)
    lines = [f"| {' | '.join(headers)} |", "| --- | --- |"]
    for first, *rest in rows:
        shown = f"`{first}`" if code_first else first
        lines.append(f"| {_cell(shown)} | {' | '.join(_cell(str(cell)) for cell in rest)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def yaml_page() -> str:
    """Every section of a task file with its fields and what they take."""
    schema = json_schema()
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    parts = [
        MADE,
        "# Task files\n",
        "A file holds one task, or several documents separated by `---`. Every section may be left out or empty. "
        "`skyx validate FILE` checks one, `skyx schema` prints this page's source as JSON Schema.\n",
    ]
    for name, section in [("Task", schema), *sorted(definitions.items())]:
        parts += [f"## {name}\n"]
        text = str(section.get("description", ""))
        if text and name != "Task":
            parts += [f"{_prose(text)}\n"]
        rows = [(f"`{key}`", takes(value), FIELDS.get(key, "")) for key, value in section["properties"].items()]
        lines = ["| field | takes | meaning |", "| --- | --- | --- |"]
        parts += ["\n".join([*lines, *(f"| {' | '.join(map(_cell, row))} |" for row in rows)]) + "\n"]
    return "\n".join(parts)


def takes(value: object) -> str:
    """A schema in words; null is left out, because every field may be empty."""
    found = list(dict.fromkeys(_kinds(value)))
    return " or ".join(found) or "anything"


def _kinds(value: object) -> Iterator[str]:
    if not isinstance(value, dict):
        return
    for key in ("anyOf", "oneOf"):
        for inner in value.get(key, ()):
            yield from _kinds(inner)
    if "$ref" in value:
        name = str(value["$ref"]).rpartition("/")[2]
        yield f"[{name}](#{name.lower()})"
    elif "enum" in value or "const" in value:
        words = value.get("enum", [value.get("const")])
        yield from dict.fromkeys(f"`{str(word).lower()}`" for word in words)
    else:
        kinds = value.get("type", [])
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            yield from _plain(str(kind), value)


def _plain(kind: str, value: dict[str, object]) -> Iterator[str]:
    if kind == "array":
        inner = takes(value["items"]) if "items" in value else ""
        yield f"list of ({inner})" if inner and inner != "anything" else "list"
    elif kind == "object":
        inner = takes(value.get("additionalProperties"))
        yield f"mapping to ({inner})" if inner != "anything" else "mapping"
    elif kind != "null":
        yield {"string": "text", "boolean": "true or false", "integer": "whole number"}.get(kind, kind)


def settings_page() -> str:
    """The table of settings."""
    lines = [
        MADE,
        "# Settings\n",
        "A flag goes before a `SKYX_*` variable, before `./.skyx.yaml`, before the user's `config.yaml`, before "
        "`/etc/skyx/config.yaml`, before the default. `skyx config show --origin` says where each value comes from. "
        "`SKYX_HOME` moves everything that skyx keeps.\n",
        "| setting | takes | default | variable | flag | meaning |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in SETTINGS.values():
        variables = ", ".join(f"`{name}`" for name in row.variables)
        value = str(row.default).lower() if isinstance(row.default, bool) else row.default
        default = f"`{value}`" if value not in ("", []) else ""
        flag = f"`{row.flag}`" if row.flag else ""
        cells = (f"`{row.key}`", row.kind, default, variables, flag, row.help)
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines) + "\n"


def _nowhere(_data: bytes) -> None:
    return None


def pages() -> dict[Path, str]:
    """Path -> text of every page."""
    return {
        FOLDER / "cli.md": cli_page(),
        FOLDER / "yaml.md": yaml_page(),
        FOLDER / "settings.md": settings_page(),
    }


def main(args: list[str]) -> int:
    """Write or check the pages."""
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(path.relative_to(FOLDER.parents[1]), "differs from the code" if "--check" in args else "written")
    if "--check" in args:
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
