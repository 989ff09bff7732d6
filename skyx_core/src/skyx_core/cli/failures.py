"""Errors as one block for people and one object for programs; never a traceback unless SKYX_DEBUG=1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.cli.shown import in_cell, in_field
from skyx_core.errors import CloudError, LeftoverError, NoCapacityError, SkyxError, TaskFileError, UsageError

if TYPE_CHECKING:
    import click

    from skyx_core.cli.app import App

_INDENT = " " * len("  where: ")
_RED, _BOLD, _CYAN, _OFF = "\033[1;31m", "\033[1m", "\033[36m", "\033[0m"


def from_click(error: click.ClickException) -> SkyxError:
    """A usage error in our own form, with the nearest flag."""
    import click

    what = error.format_message().rstrip(".")
    hint = ""
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        what = f"There is no flag {error.option_name!r}"
        near = list(error.possibilities or ())
        hint = f"did you mean {' or '.join(near)}?" if near else ""
        if ctx is not None and getattr(ctx.command, "takes_command", False):
            hint = f"{hint + ' ' if hint else ''}put -- before a command that has flags of its own"
    if not hint and ctx is not None:
        hint = f"'{ctx.command_path} --help' shows what it takes"
    return UsageError(what, where=ctx.command_path if ctx is not None else "", hint=hint)


def from_any(error: BaseException) -> SkyxError:
    """The error as one of ours. What was never meant to come through is called that."""
    if isinstance(error, SkyxError):
        return error
    if isinstance(error, CloudError):
        return SkyxError(str(error), where=error.cloud, hint="'skyx explain NAME' shows what was tried")
    if isinstance(error, OSError) and error.filename:
        return SkyxError(f"{error.strerror or type(error).__name__}", where=str(error.filename))
    try:
        text = str(error)
    except Exception:
        text = "(no text)"
    return SkyxError(
        f"Unexpected {type(error).__name__}: {text}",
        hint="this is a fault in skyx or a plugin; SKYX_DEBUG=1 shows where it was raised",
    )


def block(error: SkyxError, *, color: bool, columns: int | None = None) -> str:
    """What, where, why and what to do, in that order. ``columns``: that its table may take."""
    head, name, off = (_RED, _CYAN, _OFF) if color else ("", "", "")
    what = in_field(error.what.rstrip("."))
    lines = [f"{head}error[{error.code}]{off}: {what}"]
    if isinstance(error, TaskFileError) and any(problem.line or problem.path for problem in error.problems):
        lines += [f"  {in_field(problem.render(error.file))}" for problem in error.problems]
    if error.where:
        lines.append(f"  {name}where{off}: {_below(error.where)}")
    if error.why:
        lines.append(f"  {name}why{off}:   {_below(error.why)}")
    lines += _details(error, columns)
    if isinstance(error, TaskFileError) and error.file == "command line":
        lines.append(f"  {name}hint{off}:  '--help' after the command shows what each flag takes")
    elif error.hint:
        lines.append(f"  {name}hint{off}:  {_below(error.hint)}")
    return "\n".join(lines)


def _below(text: str) -> str:
    """What follows the first line stands under it."""
    return in_field(text.rstrip()).replace("\n", f"\n{_INDENT}")


def _details(error: SkyxError, columns: int | None) -> list[str]:
    if isinstance(error, NoCapacityError) and error.attempts:
        from skyx_core.cli.attempts import attempts_table

        width = None if columns is None else columns - 4
        return ["  tried:", *(f"    {line}" for line in attempts_table(error.attempts, width=width))]
    if isinstance(error, LeftoverError) and error.remaining:
        return ["  left:", *(f"    {in_cell(item)}" for item in error.remaining)]
    return []


def as_data(error: SkyxError) -> dict[str, object]:
    """The same as data; empty parts stay in, so that readers need not ask."""
    data: dict[str, object] = {
        "code": error.code,
        "exit_code": error.exit_code,
        "what": error.what,
        "where": error.where,
        "why": error.why,
        "hint": error.hint,
    }
    if isinstance(error, TaskFileError):
        data["file"] = error.file
        data["problems"] = list(error.problems)
    if isinstance(error, NoCapacityError):
        keys = ("infra", "resources", "reason", "hint")
        data["attempts"] = [dict(zip(keys, row, strict=True)) for row in error.attempts]
    if isinstance(error, LeftoverError):
        data["remaining"] = list(error.remaining)
    return data


def report(app: App, error: SkyxError) -> int:
    """Print it where it belongs; returns the exit code."""
    tty = app.streams.err_tty
    width = None
    if isinstance(error, NoCapacityError):
        from skyx_core.cli.output import columns

        width = columns(app, tty=tty)
    app.note(block(error, color=app.color(tty=tty), columns=width), painted=True)
    if app.json:
        from skyx_core.cli.output import dumps

        app.note(dumps({"error": as_data(error)}))
    return error.exit_code
