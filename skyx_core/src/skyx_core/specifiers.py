"""The version gate: whether our version is in the range that a plugin declares. Covers the version specifiers that
packages use in practice (PEP 440); what can't be read counts as a match, so that only a clear "no" keeps a plugin out.
"""

from __future__ import annotations

import re

_VERSION = re.compile(
    r"v?(?:\d+!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[._-]?(?P<pre>alpha|beta|preview|pre|a|b|c|rc)[._-]?(?P<pre_n>\d*))?"
    r"(?:[._-]?post[._-]?(?P<post>\d*))?(?:[._-]?dev[._-]?(?P<dev>\d*))?(?:\+[a-z0-9._-]+)?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(~=|===|==|!=|<=|>=|<|>)\s*([^\s,]+)")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(;.*)?")
_PRE_RANK = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}

Key = tuple[tuple[int, ...], tuple[int, int], int, int]


def canonical(name: str) -> str:
    """The name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared_range(requirements: list[str], distribution: str) -> str:
    """The specifiers that ``requirements`` (lines of ``Requires-Dist``) put on one distribution; "" = none.

    Requirements of an extra don't count; other markers are taken to hold.
    """
    found = []
    for line in requirements:
        match = _REQUIREMENT.match(line)
        if match and canonical(match[1]) == canonical(distribution) and "extra" not in (match[3] or ""):
            found.append(match[2].replace(" ", ""))
    return ",".join(part for part in found if part)


def version_key(text: str) -> Key | None:
    """Sorts as releases do (dev < a < b < rc < release < post); None = not a version."""
    match = _VERSION.fullmatch(text.strip())
    if not match:
        return None
    release = [int(part) for part in match["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    if match["pre"]:
        pre = (_PRE_RANK[match["pre"].lower()], int(match["pre_n"] or 0))
    else:
        pre = (-1, 0) if match["dev"] is not None and match["post"] is None else (3, 0)
    post = -1 if match["post"] is None else int(match["post"] or 0)
    dev = 2**31 if match["dev"] is None else int(match["dev"] or 0)
    return tuple(release), pre, post, dev


def allows(specifiers: str, version: str) -> bool:
    """Whether ``version`` is in the range, e.g. ``>=0.1,<0.2``."""
    ours = version_key(version)
    return ours is None or all(_clause_holds(op, wanted, ours) for op, wanted in _CLAUSE.findall(specifiers))


def _clause_holds(op: str, wanted: str, ours: Key) -> bool:
    if wanted.endswith(".*"):
        same = _has_prefix(ours, wanted[:-2])
        return not same if op == "!=" else same
    key = version_key(wanted)
    if key is None:
        return True
    if op == "~=":
        return ours >= key and _has_prefix(ours, wanted.rpartition(".")[0])
    if op == "<" and ours[0] == key[0] and key[1] == (3, 0):
        return False  # <0.2 keeps out 0.2rc1 too
    return {
        "==": ours == key,
        "===": ours == key,
        "!=": ours != key,
        "<": ours < key,
        "<=": ours <= key,
        ">": ours > key,
        ">=": ours >= key,
    }[op]


def _has_prefix(ours: Key, prefix: str) -> bool:
    wanted = [int(part) for part in prefix.split(".") if part.isdecimal()]
    padded = list(ours[0]) + [0] * len(wanted)
    return padded[: len(wanted)] == wanted
