"""The command line: serve, relay, version; ``supervise`` and ``agent`` are for the program itself."""

from __future__ import annotations

import os
import sys

USAGE = "usage: skyx_agent serve --dir DIR [--foreground] | relay --dir DIR | version\n"


def main(arguments: list[str]) -> int:
    """Exit codes: 0 done, 1 failed (said on stderr), 2 wrong usage."""
    name, options = (arguments[0], _options(arguments[1:])) if arguments else ("", None)
    if name == "version" and options == {}:
        from skyx_agent import VERSION

        sys.stdout.write(VERSION + "\n")
        return 0
    if name not in ("serve", "relay", "supervise", "agent") or not options or not options.get("dir"):
        sys.stderr.write(USAGE)
        return 2
    folder = os.path.abspath(options["dir"])
    if name == "serve":
        from skyx_agent.serve import main as serve

        return serve(folder, "foreground" in options)
    if name == "relay":
        from skyx_agent.relay import main as relay

        return relay(folder)
    if name == "supervise":
        from skyx_agent.supervisor import Supervisor

        return Supervisor(folder).run()
    from skyx_agent.agent import main as agent

    return agent(folder, int(options.get("alive-fd", "-1")))


def _options(arguments: list[str]) -> dict[str, str] | None:
    """``--name value`` pairs and ``--foreground``; None if something else is there."""
    found: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--foreground":
            found["foreground"] = "1"
        elif word in ("--dir", "--alive-fd") and rest:
            found[word[2:]] = rest.pop(0)
        else:
            return None
    return found
