"""Short ways to write rows of a table of rules."""

from __future__ import annotations

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
