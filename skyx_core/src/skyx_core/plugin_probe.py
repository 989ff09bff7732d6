"""``python -m skyx_core.plugin_probe GROUP NAME``: load one plugin here and print what came of it, as JSON."""

from __future__ import annotations

import json
import os
import sys
import time

from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
from skyx_core.discovery import Plugins
from skyx_core.errors import PluginIncompatibleError, SkyxError
from skyx_core.index import KIND_OF_GROUP
from skyx_core.stdout_guard import guard_stdout


def probe(group: str, name: str) -> dict[str, str | int | float | None]:
    """Status ok, broken or incompatible, the error on one line, the version it speaks, milliseconds to load."""
    plugins = Plugins(caller=Caller(SystemClock()))
    plugins.index()  # the time of the scan is not the plugin's
    start = time.perf_counter()
    try:
        plugin = plugins.load(KIND_OF_GROUP[group], name)
    except SkyxError as error:
        status = "incompatible" if isinstance(error, PluginIncompatibleError) else "broken"
        return {"status": status, "error": str(error), "api_version": None, "load_ms": None}
    version = getattr(plugin, "api_version", None)
    return {
        "status": "ok",
        "error": None,
        "api_version": version if isinstance(version, int) else None,
        "load_ms": round((time.perf_counter() - start) * 1000, 3),
    }


def main() -> None:
    """Print one line; a thread that the plugin left behind can't hold the process."""
    with guard_stdout() as out:
        out.write(json.dumps(probe(sys.argv[1], sys.argv[2])) + "\n")
    os._exit(0)


if __name__ == "__main__":
    main()
