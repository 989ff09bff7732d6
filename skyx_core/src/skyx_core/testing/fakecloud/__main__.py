"""``python -m skyx_core.testing.fakecloud --dir DIR --mode vm|pod``: serve until told to end; prints the URL first."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from skyx_core.clock import Clock, SharedClock, clock_from
from skyx_core.testing.fakecloud.capacity import Addresses
from skyx_core.testing.fakecloud.ledger import Ledger
from skyx_core.testing.fakecloud.machines import FolderMachines, Machines
from skyx_core.testing.fakecloud.pod_api import PodApi
from skyx_core.testing.fakecloud.server import Server, Service
from skyx_core.testing.fakecloud.vm_api import VmApi
from skyx_core.testing.fakecloud.world import World

_TICK_S = 0.05


def main(argv: Sequence[str]) -> int:
    """Serve. Ends with exit code 0 on SIGTERM, SIGINT, or when the process that started it has ended."""
    options = _parser().parse_args(argv)
    folder = Path(options.dir).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    server = Server()
    clock: Clock = SharedClock(Path(options.clock)) if options.clock else clock_from(os.environ)
    machines: Machines = FolderMachines(folder / "nodes")
    if not options.no_sandboxes:
        from skyx_core.testing.fakecloud.sandboxed import SandboxMachines

        machines = SandboxMachines(folder / "nodes")
    world = World(clock, Ledger(folder / "ledger.jsonl"), machines, Addresses(server.server_port))
    server.service = Service(world, VmApi(world) if options.mode == "vm" else PodApi(world))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.closing.set())
    threading.Thread(target=server.serve_forever, args=(_TICK_S,), daemon=True).start()
    sys.stdout.write(server.url + "\n")
    sys.stdout.flush()
    _tick(server, world, options.parent_pid)
    server.shutdown()
    with world.lock:
        world.close()
    return 0


def _tick(server: Server, world: World, parent: int) -> None:
    """Let time pass until the server is to end."""
    while not server.closing.wait(_TICK_S):
        if parent and os.getppid() != parent:
            return
        with world.lock:
            world.settle()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m skyx_core.testing.fakecloud", description=__doc__)
    parser.add_argument("--dir", required=True, help="ledger.jsonl and the nodes' folders go here")
    parser.add_argument("--mode", required=True, choices=["vm", "pod"])
    parser.add_argument("--clock", default="", help="file of a shared clock (default: SKYX_TEST_CLOCK, else real time)")
    parser.add_argument("--parent-pid", type=int, default=0, help="end when this process, the parent, has ended")
    parser.add_argument("--no-sandboxes", action="store_true", help="nodes are folders in which nothing can run")
    return parser


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
