"""Commands that load when they are used, help that loads none of them, and flags that every command takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from skyx_core.errors import UsageError

if TYPE_CHECKING:
    from skyx_core.cli.app import App


class Entry(NamedTuple):
    """Where a command is, and its line in ``--help``."""

    section: str
    target: str  # module:attribute below skyx_core.cli.commands
    summary: str


def app_of(ctx: click.Context) -> App:
    """The run's state."""
    app: App = ctx.find_root().obj
    return app


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value not in (None, False, ()):
        app_of(ctx).flags[str(param.name)] = value


def _show_help(ctx: click.Context, _param: click.Parameter, value: object) -> None:
    if value and not ctx.resilient_parsing:
        app_of(ctx).streams.data(ctx.get_help())
        ctx.exit()


class CommonOption(click.Option):
    """Taken by every command; listed after a command's own."""


def common_options() -> list[click.Option]:
    """Taken before or after the name of a command."""

    def choice(*names: str, of: Sequence[str], text: str) -> click.Option:
        return CommonOption(names, help=text, type=click.Choice(of), is_eager=True, expose_value=False, callback=_keep)

    def flag(name: str, text: str) -> click.Option:
        return CommonOption([name], help=text, is_flag=True, is_eager=True, expose_value=False, callback=_keep)

    return [
        choice("-o", "--output", of=("text", "json"), text="What stdout holds."),
        choice("--color", of=("auto", "always", "never"), text="When to colour."),
        choice("--progress", of=("auto", "plain", "json", "quiet"), text="How progress is shown on stderr."),
        flag("--no-input", "Never ask; end with 2 where a question would be needed."),
        flag("--no-plugins", "Leave out commands and listeners of third parties."),
    ]


class _HelpOnStdout(click.Command):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)
        own: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                shared = isinstance(param, CommonOption) or param.name in {"help", "_click_default_help"}
                (common if shared else own).append(record)
        for title, rows in (("Flags", own), ("Common flags", common)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
            option.help = "Show this and end."
        return option


class SkyxCommand(_HelpOnStdout):
    """A command with the common flags. ``takes_command``: its words may be a command line of the user's."""

    def __init__(self, *args: object, takes_command: bool = False, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.takes_command = takes_command
        self.params += common_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        for param in self.params:
            if param.name not in _MAY_BE_BYTES and not ctx.resilient_parsing:
                _refuse_bytes(param, ctx.params.get(param.name or ""))
        return rest


_MAY_BE_BYTES = frozenset({"entrypoint", "files", "download", "env_file", "secret_file"})  # paths, or checked later


def _refuse_bytes(param: click.Parameter, value: object) -> None:
    """What isn't text can't be a name, nor be kept in a record."""
    for word in value if isinstance(value, tuple) else (value,):
        if isinstance(word, str) and not word.isascii() and any("\ud800" <= char <= "\udfff" for char in word):
            flag = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
            raise UsageError(
                f"{flag} holds bytes that are not UTF-8", why=f"it is {word!r}", hint="pass it as UTF-8 text"
            )


class SkyxGroup(_HelpOnStdout, click.Group):
    """A group of commands within one module, with the common flags."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.params += common_options()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing and not args[0].startswith("-"):
            raise unknown_command(args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


def unknown_command(name: str, known: list[str]) -> UsageError:
    """With the nearest names."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(repr(n) for n in near)}?" if near else "'skyx --help' lists all commands"
    return UsageError(f"There is no command {name!r}", hint=hint)


class LazyGroup(SkyxGroup):
    """The top of the tree. ``third_party``: name -> where it comes from, read only when it is needed."""

    def __init__(
        self,
        table: Mapping[str, Entry],
        *,
        third_party: Callable[[App], Mapping[str, str]],
        load_third_party: Callable[[App, str], click.Command],
    ) -> None:
        super().__init__(
            name="skyx",
            help="Run jobs on any cloud, or on this machine.",
            epilog="'skyx COMMAND --help' says more of each. Exit codes: 0 done, 1 failed, 2 usage, 3 not found, "
            "4 credentials, 5 no capacity, 6 busy, 7 something may be left, 100-103 the job's state, 130 interrupted.",
            context_settings={"help_option_names": ["-h", "--help"], "terminal_width": _width()},
            no_args_is_help=False,
        )
        self._table = table
        self._third_party = third_party
        self._load_third_party = load_third_party
        self.params.append(
            click.Option(
                ["-V", "--version"], is_flag=True, expose_value=False, callback=_show_version, help="Show the release."
            )
        )

    def _foreign(self, ctx: click.Context) -> Mapping[str, str]:
        app = app_of(ctx)
        names = self._third_party(app) if app.scan_plugins else {}
        return {name: origin for name, origin in names.items() if name not in self._table}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._table, *sorted(self._foreign(ctx))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self._table.get(cmd_name)
        if entry is not None:
            from importlib import import_module

            module, _, attribute = entry.target.partition(":")
            found: click.Command = getattr(import_module(f"skyx_core.cli.commands.{module}"), attribute)
            return found
        if cmd_name.startswith("-") or cmd_name not in self._foreign(ctx):
            return None
        return self._load_third_party(app_of(ctx), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self._table.items():
            sections.setdefault(entry.section, []).append((name, entry.summary))
        foreign = [(name, origin) for name, origin in sorted(self._foreign(ctx).items())]
        if foreign:
            sections["Commands of plugins"] = foreign
        width = max(len(name) for rows in sections.values() for name, _ in rows)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[click.shell_completion.CompletionItem]:
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name) for name in self.list_commands(ctx) if name.startswith(incomplete)]
        return found or click.Command.shell_complete(self, ctx, incomplete)


def _width() -> int:
    """Of help texts; shutil's own answer would cost as much as the rest of the help."""
    import os

    text = os.environ.get("COLUMNS", "")
    try:
        columns = int(text) if text.isdigit() else os.get_terminal_size(2).columns
    except OSError:
        columns = 100
    return max(60, min(columns, 110)) - 2


def _show_version(ctx: click.Context, _param: click.Parameter, value: object) -> None:
    if value and not ctx.resilient_parsing:
        from skyx_core.cli.version import VERSION

        app_of(ctx).streams.data(f"skyx {VERSION}")
        ctx.exit()


def command(name: str, *, takes_command: bool = False) -> Callable[[Callable[..., int]], SkyxCommand]:
    """Make a command of a function that takes the ``App`` first and returns the exit code. Flags go below it."""

    def decorate(function: Callable[..., int]) -> SkyxCommand:
        params = list(reversed(getattr(function, "__click_params__", [])))
        return SkyxCommand(
            name, callback=with_app(function), params=params, help=function.__doc__, takes_command=takes_command
        )

    return decorate


def with_app(function: Callable[..., int]) -> Callable[..., int]:
    """Hand the ``App`` to a command's function."""

    def run(**values: object) -> int:
        return function(app_of(click.get_current_context()), **values)

    run.__doc__ = function.__doc__
    return run
