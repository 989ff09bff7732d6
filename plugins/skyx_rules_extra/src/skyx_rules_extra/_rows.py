"""Short ways to write rows of a table of rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

from skyx_core.api import Category, ErrorRule, Retry, Scope

CAPACITY, QUOTA, AUTH = Category.CAPACITY, Category.QUOTA, Category.AUTH
PERMISSION, CONFIG, NOT_FOUND = Category.PERMISSION, Category.CONFIG, Category.NOT_FOUND
RATE_LIMIT, TRANSIENT, USER_ERROR = Category.RATE_LIMIT, Category.TRANSIENT, Category.USER_ERROR
UNSUPPORTED = Category.UNSUPPORTED

TYPE, ZONE_TYPE = Scope.INSTANCE_TYPE_IN_REGION, Scope.INSTANCE_TYPE_IN_ZONE
ZONE, REGION, SPOT, CLOUD = Scope.ZONE, Scope.REGION, Scope.SPOT, Scope.CLOUD

MINUTE, HOUR = 60.0, 3600.0
BRIEF = Retry(max=3, wait=5, growth=2)  # the server's fault: 5, 10, 20 s
PATIENT = Retry(max=6, wait=10, growth=1.5)  # throttled: 10 s to 76 s
BUSY = Retry(max=10, wait=15)  # something else is at work there: 150 s in all
ARRIVING = Retry(max=30, wait=30)  # a machine is on its way: 15 minutes in all

_TELLING = re.compile(r"[a-z0-9](?:\(\?:|\\w[*+])?[A-Z]|[_/]|^[A-Z]+\(?\\d")
_WORD = re.compile(r"[A-Za-z]{7,}")


class Facts(TypedDict, total=False):
    """What a row may say besides its id, category and scope."""

    code: str
    message: str
    operation: str
    status: int
    kind: str
    region: str
    use_spot: bool
    zone: bool
    accelerators: bool
    ttl: float | Literal["until_fixed"]
    account_wide: bool
    nodes_may_exist: bool
    hint: str


@dataclass(frozen=True)
class Rows:
    """Makes rows of one cloud whose facts are from one source. Codes are compared without regard to case."""

    cloud: str
    source: str

    def block(self, name: str, category: Category, scope: Scope, **facts: Unpack[Facts]) -> ErrorRule:
        """A row that blocks ``scope`` at once."""
        return self._row(ErrorRule(id=f"{self.cloud}.{name}", category=category, block=scope, **facts))

    def again(self, name: str, category: Category, after: Scope, retry: Retry, **facts: Unpack[Facts]) -> ErrorRule:
        """A row that tries here again first, and then blocks ``after``."""
        return self._row(
            ErrorRule(id=f"{self.cloud}.{name}", category=category, retry=retry, block_after=after, **facts)
        )

    def abort(self, name: str, **facts: Unpack[Facts]) -> ErrorRule:
        """A row for a request that no place can meet."""
        return self._row(ErrorRule(id=f"{self.cloud}.{name}", category=USER_ERROR, abort=True, **facts))

    def _row(self, rule: ErrorRule) -> ErrorRule:
        code = None if rule.code is None else f"(?i:{rule.code})"
        return rule.model_copy(update={"code": code, "source": self.source})


def in_text(rules: Iterable[ErrorRule], carriers: str) -> tuple[ErrorRule, ...]:
    """The rows, each that goes by a code preceded by one for answers that are only text, with the code in it.

    Such a row wants the answer's own code to be empty or one of ``carriers`` (a regular expression: what a client calls
    any error). Codes that are words of a language count only in the form ``(Code):``.
    """
    return tuple(each for rule in rules for each in _with_text(rule, carriers))


def _with_text(rule: ErrorRule, carriers: str) -> tuple[ErrorRule, ...]:
    bare = (rule.code or "").removeprefix("(?i:").removesuffix(")")
    codes = _alternatives(bare.replace(".*", r"[\w/.-]*"))
    if "" in codes:  # goes by the message already
        return (rule.model_copy(update={"code": f"(?i:{bare}|{carriers})"}) if rule.code else rule,)
    telling = "|".join(each for each in codes if len(each) >= 8 and _TELLING.search(each))
    words = "|".join(each for each in codes if _WORD.fullmatch(each) and not _TELLING.search(each))
    if not telling + words:
        return (rule,)
    forms = [rf"(?<![\w/-])(?:{telling})(?![\w/-])"] * bool(telling) + [rf"\((?:{words})\):"] * bool(words)
    message = rf"^(?=.*(?:{'|'.join(forms)}))" + (f"(?=.*(?:{rule.message}))" if rule.message else "")
    update = {"id": f"{rule.id}.in-text", "code": f"(?i:|{carriers})", "message": message}
    return (rule.model_copy(update=update), rule)


def _alternatives(code: str) -> list[str]:
    """Those of a regular expression that are in no group."""
    found, depth = [""], 0
    for letter in code:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [each for each in found if not each.startswith("(?!") and each != r"[\w/.-]*"] if code else [""]
