"""``skyx plugins``: what is installed and, if asked, what comes of loading each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from skyx_core.index import group_of
from skyx_core.loading import conflict, incompatible
from skyx_core.results import PluginInfo

if TYPE_CHECKING:
    from skyx_core.discovery import Plugins
    from skyx_core.index import Entry

PROBE_LIMIT_S = 10.0
_AT_ONCE = 4


def rows(plugins: Plugins) -> list[PluginInfo]:
    """From metadata alone; statuses installed, disabled, conflict, incompatible."""
    entries = plugins.entries()
    core = plugins.index().core
    on = Counter((entry.kind, entry.name) for entry in entries if not plugins.is_off(entry))
    return [_row(entry, entries, plugins, core, on[entry.kind, entry.name]) for entry in entries]


def _row(entry: Entry, entries: Sequence[Entry], plugins: Plugins, core: str, offered: int) -> PluginInfo:
    status, error = "installed", None
    if plugins.is_off(entry):
        status = "disabled"
    elif offered > 1 and entry.kind != "rules":  # several tables for one cloud are joined
        same = [e for e in entries if (e.kind, e.name) == (entry.kind, entry.name) and not plugins.is_off(e)]
        status, error = "conflict", str(conflict(same))
    elif (problem := incompatible(entry, core)) is not None:
        status, error = "incompatible", str(problem)
    return PluginInfo(
        name=entry.name,
        kind=entry.kind,
        distribution=entry.distribution,
        version=entry.version,
        status=status,
        error=error,
    )


def check(plugins: Plugins, *, environ: Mapping[str, str] | None = None) -> list[PluginInfo]:
    """Load each installed plugin in a process of its own, at most 10 s each, four at a time. What a program passed in
    is in this process already and is reported as ok.
    """
    found = plugins.list()
    todo = [number for number, row in enumerate(found) if row.status == "installed" and row.distribution]
    for start in range(0, len(todo), _AT_ONCE):
        batch = todo[start : start + _AT_ONCE]
        for number, row in zip(batch, _probe([found[number] for number in batch], environ), strict=True):
            found[number] = row
    return [replace(row, status="ok") if row.status == "installed" else row for row in found]


def _probe(batch: Sequence[PluginInfo], environ: Mapping[str, str] | None) -> list[PluginInfo]:
    deadline = time.monotonic() + PROBE_LIMIT_S
    running = [_start(row, environ) for row in batch]
    try:
        return [_result(row, process, deadline) for row, process in zip(batch, running, strict=True)]
    finally:
        for process in running:
            process.kill()
            process.wait()


def _start(row: PluginInfo, environ: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "skyx_core.plugin_probe", group_of(row.kind), row.name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ if environ is None else environ),
    )


def _result(row: PluginInfo, process: subprocess.Popen[bytes], deadline: float) -> PluginInfo:
    try:
        output, _ = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return replace(row, status="broken", error=f"did not load within {PROBE_LIMIT_S:g} s")
    try:
        data = json.loads(output)
        return replace(
            row,
            status=str(data["status"]),
            error=data["error"],
            api_version=data["api_version"],
            load_ms=data["load_ms"],
        )
    except (ValueError, TypeError, KeyError):
        return replace(row, status="broken", error=f"its process ended with {process.returncode} and said nothing")
