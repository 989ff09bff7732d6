"""``skyx blocks``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skyx_core.cli import options
from skyx_core.cli.group import SkyxGroup, command

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import BlockRow

_HEADERS = ("BLOCKED", "UNTIL", "REPEATS", "RULE", "WHY")


@click.group("blocks", cls=SkyxGroup)
def blocks() -> None:
    """Show what is not tried for now, or try it again.

    What a launch learns (sold out here, no quota there) spares the next one the same attempts, for as long as it is
    likely to be true.
    """


@command("list")
@click.argument("cloud", required=False, metavar="[CLOUD]")
@click.option("-a", "--all", "ended", is_flag=True, help="Also what ended within the last three hours.")
def list_blocks(app: App, *, cloud: str | None, ended: bool) -> int:
    """List what is blocked, why, and until when.

    Blocks that stay until something is mended end once the credentials or the settings of their cloud change.
    """
    from skyx_core.cli.output import emit_json, show

    found = app.session().blocks(cloud, ended=ended)
    for warning in found.warnings:
        app.note(f"warning: {warning}")
    if app.json:
        emit_json(app, found.blocks)
    elif found.blocks:
        now = app.clock.time()
        show(app, _HEADERS, [_cells(row, now) for row in found.blocks], fit=True)
    else:
        app.note(f"Nothing is blocked{f' on {cloud}' if cloud else ''}.")
    return 0


@command("clear")
@click.argument("cloud", required=False, metavar="[CLOUD]")
@options.yes
def clear(app: App, *, cloud: str | None, yes: bool) -> int:
    """Forget what is blocked, on one cloud or on all; the next launch tries it again."""
    from skyx_core.cli.output import emit_json

    session = app.session()
    where = f"on {cloud}" if cloud else "on all clouds"
    if not yes:
        count = len(session.blocks(cloud).blocks)
        app.confirm(f"Forget {_number(count)} {where}?", yes=yes or not count)
    cleared = session.clear_blocks(cloud)
    if app.json:
        emit_json(app, {"cleared": cleared})
    else:
        app.streams.data(f"{_number(cleared)} {where} forgotten")
    return 0


def _number(count: int) -> str:
    return f"{count} block{'' if count == 1 else 's'}"


def _cells(row: BlockRow, now: float) -> tuple[str, ...]:
    from skyx_core.cli.patterns import pattern_text

    return (pattern_text(row.pattern), _until(row, now), str(row.repeats), row.rule, " ".join(row.reason.split()))


def _until(row: BlockRow, now: float) -> str:
    from skyx_core.cli.commands.status import ahead
    from skyx_core.spans import UNTIL_FIXED

    if not row.fingerprint_ok:
        return "ended: credentials or settings changed"
    left = ahead(row.until, now)
    if left.startswith("in ") and _stays(row):
        return UNTIL_FIXED
    return f"{left} ({row.until})"


def _stays(row: BlockRow) -> bool:
    from skyx_core.cli.commands.status import epoch
    from skyx_core.spans import until_fixed

    try:
        return until_fixed(epoch(row.since), epoch(row.until))
    except ValueError:
        return False


blocks.add_command(list_blocks)
blocks.add_command(clear)
