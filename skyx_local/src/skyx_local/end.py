"""``python -m skyx_local.end stop|down ROOT UID --ledger FOLDER``: a cluster ends itself, without the user's machine
or any command of it. Run by the agent of the cluster, which it ends too. Exit status: 0 done, 1 something is left
(said on stderr).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from skyx_core.api import CloudError, Sandboxes, SkyxError
from skyx_local.ending import remove_cluster, stop_cluster
from skyx_local.ledger import Ledger


def main(argv: Sequence[str]) -> int:
    """Safe to repeat, also at the same time."""
    parser = argparse.ArgumentParser(prog="skyx_local.end", allow_abbrev=False)
    parser.add_argument("mode", choices=("stop", "down"))
    parser.add_argument("root", type=Path)
    parser.add_argument("uid")
    parser.add_argument("--ledger", type=Path, required=True)
    options = parser.parse_args(argv)
    _stand_alone()
    end = remove_cluster if options.mode == "down" else stop_cluster
    sandboxes = Sandboxes(options.root)
    try:
        left = end(sandboxes, Ledger(options.ledger, nodes=sandboxes.root), options.uid)
    except (SkyxError, CloudError, OSError) as error:
        left = [str(error)]
    for line in left:
        with contextlib.suppress(OSError):  # who reads it may have been ended by us
            os.write(2, f"{line}\n".encode())
    return 1 if left else 0


def _stand_alone() -> None:
    """Outlive the agent that started this process, and stand in no folder that is going to be deleted."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):  # it leads a session already
        os.setsid()
    os.chdir("/")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
