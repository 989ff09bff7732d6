"""``skyx init`` and ``skyx schema``."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import command
from skyx_core.cli.templates import TEMPLATES
from skyx_core.errors import UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App

SCHEMA_FILE = ".skyx-schema.json"


@command("schema")
def schema(app: App) -> int:
    """Print the JSON Schema of task files, made from the models that read them."""
    app.streams.data(_schema())
    return 0


def _schema() -> str:
    from skyx_core.task import json_schema

    return json.dumps(json_schema(), indent=2, ensure_ascii=False)


@command("init")
@click.argument("template", type=click.Choice(list(TEMPLATES)), default="basic")
@click.option("-f", "--file", "file", default="task.yaml", show_default=True, metavar="FILE", help="What to write.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def init(app: App, *, template: str, file: str, force: bool) -> int:
    """Write a task file to start from.

    Templates: basic (one command), gang (several nodes that talk to each other), gpu (setup and accelerators). The
    schema goes beside it, so that editors complete and check the file.
    """
    path = os.path.join(app.cwd, file)
    schema_path = os.path.join(os.path.dirname(path), SCHEMA_FILE)
    text = f"# yaml-language-server: $schema={SCHEMA_FILE}\n{TEMPLATES[template]}"
    _write(path, file, text, mode="w" if force else "x")
    _write(schema_path, SCHEMA_FILE, _schema() + "\n", mode="w")
    app.note(f"Wrote {file}. Next:\n  skyx validate {file}\n  skyx launch -c first {file}")
    if app.json:
        app.streams.data(json.dumps({"file": path, "schema": schema_path}, ensure_ascii=False))
    return 0


def _write(path: str, shown: str, text: str, *, mode: str) -> None:
    try:
        with open(path, mode, encoding="utf-8") as target:
            target.write(text)
    except FileExistsError as error:
        raise UsageError(
            f"{shown} exists already", where=path, hint="pass --force to write over it, or -f another name"
        ) from error
    except OSError as error:
        raise UsageError(f"{shown} can't be written", where=path, why=str(error.strerror or error)) from error
