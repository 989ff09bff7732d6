"""``python -m skyx_sim.end stop|down ROOT UID``: a cluster ends itself, without the user's machine or any command of
it. Run by the agent of the cluster, which it ends too. Exit status: 0 done, 1 something is left (said on stderr).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from skyx_core.api import Sandboxes, SkyxError
from skyx_sim.nodes import end_nodes


def main(argv: Sequence[str]) -> int:
    """Safe to repeat, also at the same time."""
    parser = argparse.ArgumentParser(prog="skyx_sim.end", allow_abbrev=False)
    parser.add_argument("mode", choices=("stop", "down"))
    parser.add_argument("root", type=Path)
    parser.add_argument("uid")
    options = parser.parse_args(argv)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):  # outlive the agent that started this
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):  # it leads a session already
        os.setsid()
    os.chdir("/")
    try:
        left = end_nodes(Sandboxes(options.root), options.uid, remove=options.mode == "down")
    except (SkyxError, OSError) as error:
        left = [str(error)]
    for line in left:
        with contextlib.suppress(OSError):  # who reads it may have been ended by us
            os.write(2, f"{line}\n".encode())
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
