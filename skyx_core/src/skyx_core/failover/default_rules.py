"""What holds for any cloud, when its own rules don't know an error. A status alone says little, so there are few."""

from __future__ import annotations

from skyx_core.models import Category, ErrorRule, Retry, RuleTable, Scope

_HTTP = "RFC 9110 and RFC 6585, read 2026-11-30"
_PATIENT = Retry(max=5, wait=5, growth=2)
_BRIEF = Retry(max=2, wait=5, growth=2)

DEFAULT = RuleTable(
    rules=(
        ErrorRule(
            id="default.throttled",
            status=429,
            category=Category.RATE_LIMIT,
            retry=_PATIENT,
            block_after=Scope.REGION,
            hint="the API takes no more requests for now; fewer launches at once help",
            source=_HTTP,
        ),
        ErrorRule(
            id="default.unauthenticated",
            status=401,
            category=Category.AUTH,
            block=Scope.CLOUD,
            nodes_may_exist=False,
            hint="renew the credentials; 'skyx check {cloud}' says which are used",
            source=_HTTP,
        ),
        ErrorRule(
            id="default.unavailable",
            code=r"(?i)(service[_ ]?)?unavailable|.*(connection|connect|read)[_ ]?(error|timeout|reset|refused).*",
            category=Category.TRANSIENT,
            retry=_BRIEF,
            block_after=Scope.REGION,
            source=_HTTP,
        ),
        *(
            ErrorRule(
                id=f"default.server_{status}",
                status=status,
                category=Category.TRANSIENT,
                retry=_BRIEF,
                block_after=Scope.REGION,
                source=_HTTP,
            )
            for status in (500, 502, 503, 504)
        ),
    )
)
