"""How much a test does: little in ``make test``, all of it in ``make test-full`` (SKYX_TEST_DEPTH=full)."""

import os


def is_full() -> bool:
    return os.environ.get("SKYX_TEST_DEPTH") == "full"


def depth(normal: int, full: int) -> int:
    return full if is_full() else normal
