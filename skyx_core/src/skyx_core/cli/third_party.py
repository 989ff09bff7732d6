"""Commands that plugins bring: their names come from the index file, their code only when one is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from skyx_core.errors import PluginBrokenError

if TYPE_CHECKING:
    import click

    from skyx_core.cli.app import App


def names(app: App) -> Mapping[str, str]:
    """Name -> the distribution it comes from. Never an error: help must always come."""
    from skyx_core.dirs import cache_folder
    from skyx_core.index import read_index

    try:
        index = read_index(cache_folder(app.environ))
    except Exception as error:
        app.note(f"warning: commands of plugins can't be listed: {error}")
        return {}
    found: dict[str, str] = {}
    for entry in index.entries:
        if entry.kind == "command":
            twice = entry.name in found
            found[entry.name] = f"(broken: offered twice, also by {entry.where})" if twice else f"(from {entry.where})"
    return found


def load_command(app: App, name: str) -> click.Command:
    """The command itself, with the process's stdout given back to it. The errors are those of ``discovery``."""
    import click

    from skyx_core.calls import Caller
    from skyx_core.dirs import Dirs
    from skyx_core.discovery import Plugins

    off = [word.strip() for word in app.environ.get("SKYX_DISABLE_PLUGINS", "").split(",") if word.strip()]
    plugins = Plugins(caller=Caller(app.clock), disabled=off, index_dir=Dirs.from_environ(app.environ).cache)
    loaded = plugins.command(name)
    if not isinstance(loaded, click.Command):
        raise PluginBrokenError(
            f"The plugin behind the command {name!r} is a {type(loaded).__name__}, not a click command",
            plugin=name,
            hint="'skyx plugins --check' names the distribution; remove it or tell its authors",
        )
    return _with_stdout(loaded, app)


def _with_stdout(inner: click.Command, app: App) -> click.Command:
    """Parse and run ``inner`` with stdout as it was."""
    import click

    class Foreign(click.Command):
        def make_context(
            self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
        ) -> click.Context:
            app.begun()
            app.streams.release()
            return inner.make_context(info_name, args, parent, **extra)

        def invoke(self, ctx: click.Context) -> int:
            result = inner.invoke(ctx)
            return result if isinstance(result, int) else 0

    return Foreign(inner.name, help=inner.help, short_help=inner.short_help, hidden=inner.hidden)
