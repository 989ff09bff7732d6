"""``skyx check``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from skyx_core.cli.group import command
from skyx_core.errors import CredentialsError

if TYPE_CHECKING:
    from skyx_core.cli.app import App
    from skyx_core.results import CheckResult


@command("check")
@click.argument("clouds", nargs=-1, metavar="[CLOUD...]")
def check(app: App, *, clouds: Sequence[str]) -> int:
    """Check credentials, permissions and tools of each cloud, each with its fix.

    Ends with 4 if a cloud that was named can't be used, or, without names, if none can.
    """
    from skyx_core.cli.output import emit_json

    results = app.session().check(list(clouds))
    if app.json:
        emit_json(app, results)
    else:
        for result in results:
            app.streams.data(_text(result))
        if not results:
            app.note("No cloud is installed. 'pip install skyx-local' brings the one that is this machine.")
    good = [result.ok for result in results]
    return 0 if (all(good) if clouds else any(good)) else CredentialsError.exit_code


def _text(result: CheckResult) -> str:
    lines = [f"{result.cloud}: {'ok' if result.ok else 'not usable'}"]
    for line in result.checks:
        mark = "ok  " if line.get("ok") else "FAIL"
        detail = f": {line['detail']}" if line.get("detail") else ""
        fix = f"\n         fix: {line['fix']}" if line.get("fix") and not line.get("ok") else ""
        lines.append(f"  {mark} {line.get('name', '')}{detail}{fix}")
    return "\n".join(lines)
