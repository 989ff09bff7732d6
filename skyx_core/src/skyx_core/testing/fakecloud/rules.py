"""What the fake clouds' codes mean."""

from __future__ import annotations

from skyx_core.api import Category, ErrorRule, Retry, Scope

_SOURCE = "the fake cloud's own code"


def _rule(
    rule: str,
    code: str,
    category: Category,
    block: Scope,
    *,
    ttl: float = 600,
    retry: Retry | None = None,
    nodes_may_exist: bool = True,
    hint: str = "",
) -> ErrorRule:
    return ErrorRule(
        id=rule,
        code=code,
        category=category,
        block=block,
        ttl=ttl,
        retry=retry,
        nodes_may_exist=nodes_may_exist,
        hint=hint,
        source=_SOURCE,
    )


_ONCE_MORE = Retry(max=2, wait=0.2)
COMMON = (
    _rule("fake-quota", "QuotaExceeded", Category.QUOTA, Scope.INSTANCE_TYPE_IN_REGION, nodes_may_exist=False),
    _rule("fake-auth", "Unauthorized", Category.AUTH, Scope.CLOUD, nodes_may_exist=False),
    _rule("fake-parameter", "InvalidParameter", Category.CONFIG, Scope.CLOUD, nodes_may_exist=False),
    _rule("fake-not-sold", "UnsupportedType", Category.UNSUPPORTED, Scope.INSTANCE_TYPE_IN_REGION),
    _rule("fake-cannot", "UnsupportedOperation", Category.UNSUPPORTED, Scope.CLOUD, nodes_may_exist=False),
    _rule("fake-throttled", "Throttled|TooManyRequests", Category.RATE_LIMIT, Scope.REGION, ttl=30, retry=_ONCE_MORE),
    _rule(
        "fake-transient",
        "InternalError|RequestTimeout|ConnectionLost|UnreadableAnswer|ListIncomplete|ServiceUnavailable",
        Category.TRANSIENT,
        Scope.REGION,
        ttl=60,
        retry=_ONCE_MORE,
    ),
    _rule(
        "fake-unreachable",
        "EndpointUnreachable",
        Category.TRANSIENT,
        Scope.CLOUD,
        ttl=60,
        hint="is the fake cloud's server running?",
    ),
)
VM_RULES = (
    _rule(
        "fakevm-capacity",
        "InsufficientNodeCapacity",
        Category.CAPACITY,
        Scope.INSTANCE_TYPE_IN_ZONE,
        nodes_may_exist=False,
    ),
    _rule("fakevm-not-found", "InvalidNodeID.NotFound", Category.NOT_FOUND, Scope.INSTANCE_TYPE_IN_ZONE, ttl=60),
    _rule("fakevm-state", "IncorrectNodeState", Category.TRANSIENT, Scope.INSTANCE_TYPE_IN_ZONE, retry=_ONCE_MORE),
    _rule("fakevm-token", "IdempotentParameterMismatch", Category.CONFIG, Scope.INSTANCE_TYPE_IN_ZONE),
    _rule("fakevm-vanished", "NodeVanished", Category.CAPACITY, Scope.INSTANCE_TYPE_IN_ZONE, ttl=120),
    *COMMON,
)
POD_RULES = (
    _rule("fakepod-unschedulable", "Unschedulable", Category.CAPACITY, Scope.INSTANCE_TYPE_IN_REGION),
    _rule("fakepod-not-found", "NotFound", Category.NOT_FOUND, Scope.REGION, ttl=60),
    _rule("fakepod-name-taken", "AlreadyExists", Category.CONFIG, Scope.REGION),
    _rule("fakepod-vanished", "NodeVanished", Category.CAPACITY, Scope.INSTANCE_TYPE_IN_REGION, ttl=120),
    *COMMON,
)
