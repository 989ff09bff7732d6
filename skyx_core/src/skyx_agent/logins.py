"""Who is logged in."""

from __future__ import annotations

import os

from skyx_agent.files import read_bytes


def ssh_sessions() -> bool:
    """Whether somebody is logged in through sshd: a process titled ``sshd: user@...`` exists."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                title = read_bytes(f"/proc/{name}/cmdline", 256)
            except OSError:
                continue
            if title.startswith((b"sshd: ", b"sshd-session: ")) and b"@" in title:
                return True
    return False
