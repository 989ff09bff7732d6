"""Named points at which a test can end, stop or spoil a process. Without ``SKYX_FAILPOINT`` they do nothing.

``SKYX_FAILPOINT=name[@n]=action``: at each passage of ``name`` (with ``@n``: at the n-th of this process only) do
``kill`` (SIGKILL to itself), ``raise`` (RuntimeError), ``hang`` (until killed) or ``enospc`` (OSError ENOSPC).
Several are separated by commas. ``SKYX_FAILPOINT=list`` writes each point passed to stderr.
"""

from __future__ import annotations

import os

# Every point in the sources of core and of the local cloud, so that a test can go through all of them and a
# misspelt one is noticed. Plugins may have more, under their own prefix.
FAILPOINTS = frozenset(
    {
        "attempt.creating.after_intent",
        "attempt.creating.after_made",
        "attempt.creating.before_intent",
        "attempt.creating.before_made",
        "bootstrap.before_agent",
        "bootstrap.before_configure",
        "down.before_agent",
        "down.before_remove",
        "launch.after_cleanup",
        "launch.after_provision",
        "launch.after_up",
        "launch.before_cleanup",
        "launch.before_provision",
        "launch.before_up",
        "local.create.after_claim",
        "local.create.after_node",
        "local.create.after_nodes",
        "local.create.before_claim",
        "local.start.after_claim",
        "local.stop.after_nodes",
        "local.teardown.after_nodes",
        "start.after_nodes",
        "state.intent.after_commit",
        "state.intent.before_commit",
        "state.intent_ended.after_commit",
        "state.intent_ended.before_commit",
        "state.remove.after_commit",
        "state.remove.before_commit",
        "state.reserve.after_commit",
        "state.reserve.before_commit",
        "state.update.after_commit",
        "state.update.before_commit",
        "stop.after_done",
        "stop.before_agent",
        "stop.before_record",
        "stop.before_step",
        "sync.after_copy",
        "sync.before_copy",
        "terminate.after_done",
        "terminate.before_step",
    }
)


class _Passages:
    """How often each point of one setting was passed; starts again when the setting changes."""

    def __init__(self) -> None:
        self._spec = ""
        self._counts: dict[str, int] = {}

    def count(self, spec: str, name: str) -> int:
        if spec != self._spec:
            self._spec, self._counts = spec, {}
        self._counts[name] = self._counts.get(name, 0) + 1
        return self._counts[name]


_passages = _Passages()


def failpoint(name: str) -> None:
    """Do what ``SKYX_FAILPOINT`` says for this point. Costs one look into the environment when unset.

    Raises ``UsageError`` for a setting that can't be read: a test that never meets its point proves nothing.
    """
    spec = os.environ.get("SKYX_FAILPOINT")
    if spec:
        _passed(name, spec)


def _passed(name: str, spec: str) -> None:
    passage = _passages.count(spec, name)
    if spec == "list":
        os.write(2, f"failpoint {name} {passage}\n".encode())
        return
    for point, nth, action in parse(spec):
        if point == name and nth in (0, passage):
            _act(name, action)


def parse(spec: str) -> list[tuple[str, int, str]]:
    """(name, n or 0 for every passage, action) of each part; raises ``UsageError``."""
    from skyx_core.errors import UsageError

    parsed = []
    for part in spec.split(","):
        point, equals, action = part.strip().rpartition("=")
        name, _, nth = point.partition("@")
        if not (equals and name and action in ("kill", "raise", "hang", "enospc") and (nth or "1").isdecimal()):
            raise UsageError(
                f"SKYX_FAILPOINT={spec!r} can't be read",
                why=f"{part.strip()!r} is not name[@n]=kill|raise|hang|enospc",
                hint="unset it, or set it to 'list' to see the names of the points that a command passes",
            )
        parsed.append((name, int(nth or 0), action))
    return parsed


def _act(name: str, action: str) -> None:
    if action == "kill":
        import signal

        os.kill(os.getpid(), signal.SIGKILL)
    if action == "enospc":
        import errno

        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
    if action == "raise":
        raise RuntimeError(f"failpoint {name}")
    import time

    while True:  # kill and hang: until the signal arrives
        time.sleep(0.1)
