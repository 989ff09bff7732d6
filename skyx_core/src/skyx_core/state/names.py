"""Names of clusters: what is allowed, what the cloud gets, and made-up ones."""

from __future__ import annotations

import hashlib
import re
from typing import Protocol, TypeVar

from skyx_core.errors import UsageError

T = TypeVar("T")

MAX_NAME = 80
_RULE = "1 to 80 letters, digits, '.', '_' or '-' of ASCII; starts with a letter, ends with a letter or digit"
_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9._-]*[A-Za-z0-9])?\Z")
_DIGEST_CHARS = 8


class Chooser(Protocol):
    """The part of ``random.Random`` that is needed."""

    def choice(self, seq: tuple[str, ...], /) -> str: ...

    def randrange(self, stop: int, /) -> int: ...


def check_cluster_name(name: str) -> str:
    """``name`` itself, or ``UsageError`` naming the rule and what breaks it."""
    problem = _problem(name)
    if not problem:
        return name
    shown = name if len(name) <= MAX_NAME else f"{name[:20]}..."
    raise UsageError(
        f"{shown!r} can't be the name of a cluster", why=problem, hint=f"choose another: {_RULE}, like 'train-1'"
    )


def _problem(name: str) -> str:
    if not name:
        return "it is empty"
    if len(name) > MAX_NAME:
        return f"it has {len(name)} characters, and {MAX_NAME} are allowed"
    if _NAME.match(name):
        return ""
    if bad := re.search(r"[^A-Za-z0-9._-]", name):
        return f"{bad.group()!r} is not allowed"
    if not name[0].isalpha():
        return f"it starts with {name[0]!r}, not with a letter"
    return f"it ends with {name[-1]!r}, not with a letter or digit"


def cloud_name(name: str, max_len: int = 40) -> str:
    """The name for a cloud: ``[a-z]([a-z0-9-]*[a-z0-9])?``, at most ``max_len`` (from 12 on) characters.

    Ends with 8 hex digits of the digest of the exact name, so that My_Job, my-job and my.job never meet.
    """
    if max_len < _DIGEST_CHARS + 4:
        raise ValueError(f"max_len must be at least {_DIGEST_CHARS + 4}, not {max_len}")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not readable[:1].isalpha():
        readable = f"c-{readable}"
    readable = readable[: max_len - _DIGEST_CHARS - 1].rstrip("-")
    return f"{readable}-{digest}"


_ADJECTIVES = (
    "able", "amber", "bold", "brave", "brisk", "calm", "clear", "crisp", "deft", "eager", "fair", "fleet", "fond",
    "glad", "grand", "green", "keen", "kind", "lively", "lucid", "mild", "neat", "noble", "plain", "proud", "quick",
    "quiet", "rapid", "ready", "sharp", "sunny", "swift", "tidy", "true", "vivid", "warm", "wise", "young",
)  # fmt: skip
_NOUNS = (
    "badger", "beaver", "bison", "crane", "dolphin", "eagle", "falcon", "ferret", "finch", "fox", "gecko", "heron",
    "ibex", "jay", "koala", "lark", "lemur", "lynx", "marten", "mole", "moose", "newt", "otter", "owl", "panda",
    "pika", "puffin", "raven", "robin", "seal", "stork", "swan", "tapir", "tern", "toad", "vole", "wren", "yak",
)  # fmt: skip


def made_name(rng: Chooser) -> str:
    """A readable random name such as ``brave-otter-3f2a``; about 95 million of them."""
    return f"{rng.choice(_ADJECTIVES)}-{rng.choice(_NOUNS)}-{rng.randrange(16**4):04x}"
