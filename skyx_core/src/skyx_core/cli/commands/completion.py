"""``skyx completion``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import command

if TYPE_CHECKING:
    from skyx_core.cli.app import App


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(app: App, *, shell: str) -> int:
    """Print a shell's completion script.

    Nothing is written anywhere: put 'eval "$(skyx completion bash)"' into your shell's start-up file yourself. Names
    of clusters are completed from the record on this machine.
    """
    from click.shell_completion import get_completion_class

    from skyx_core.cli.tree import build

    kind = get_completion_class(shell)
    assert kind is not None
    maker = kind(build(), {}, "skyx", "_SKYX_COMPLETE")
    app.streams.data(maker.source_template % maker.source_vars())
    return 0
