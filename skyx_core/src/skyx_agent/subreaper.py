"""Where the kernel sends orphans: to the nearest ancestor that asked for them."""

from __future__ import annotations

PR_SET_CHILD_SUBREAPER = 36


def collect_orphans(wanted: bool) -> bool:
    """Make this process the new parent of every orphan below it, or stop that. Whether the kernel agreed.

    It stays so over exec and isn't passed on to children.
    """
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False
