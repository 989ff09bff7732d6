"""What the errors of simulated clouds mean: the tables that are installed for the clouds that they imitate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from skyx_core.api import (
    Caller,
    Category,
    Dirs,
    ErrorRule,
    Plugins,
    Retry,
    Rulebook,
    RuleTable,
    Scope,
    SystemClock,
    read_rules,
)
from skyx_sim.cloud import SimCloud

Tables = Callable[[str], Sequence[RuleTable]]
_SOURCE = "skyx_sim's own wording"

OWN = RuleTable(
    rules=(
        ErrorRule(
            id="sim.capacity",
            code="OutOfCapacity",
            category=Category.CAPACITY,
            block=Scope.INSTANCE_TYPE_IN_ZONE,
            hint="no room for {instance_type} in {zone}; the next place is tried",
            source=_SOURCE,
        ),
        ErrorRule(
            id="sim.quota",
            code="QuotaExceeded",
            message=r"quota (?P<bucket>\S+) in",
            category=Category.QUOTA,
            block=Scope.INSTANCE_TYPE_IN_REGION,
            nodes_may_exist=False,
            hint="the quota {bucket} in {region} is used up",
            source=_SOURCE,
        ),
        ErrorRule(
            id="sim.throttled",
            code="Throttled",
            category=Category.RATE_LIMIT,
            retry=Retry(max=5, wait=5, growth=2),
            block_after=Scope.REGION,
            source=_SOURCE,
        ),
        ErrorRule(
            id="sim.credentials",
            code="Unauthorized",
            category=Category.AUTH,
            block=Scope.CLOUD,
            nodes_may_exist=False,
            hint="renew the credentials",
            source=_SOURCE,
        ),
    )
)


def _plugins(environ: Mapping[str, str] | None) -> Plugins:
    given = environ or {}
    off = [word.strip() for word in given.get("SKYX_DISABLE_PLUGINS", "").split(",") if word.strip()]
    folder = Dirs.from_environ(environ).cache if environ is not None else None
    return Plugins(caller=Caller(SystemClock()), disabled=off, index_dir=folder)


def installed_tables(environ: Mapping[str, str] | None = None) -> Tables:
    """The tables of rules that are installed, by cloud; with ``environ`` the user's own rules go before them."""
    plugins = _plugins(environ)
    users = read_rules(Dirs.from_environ(environ).rules_file) if environ is not None else None

    @cache
    def tables(name: str) -> Sequence[RuleTable]:
        own = (OWN,) if name == "sim" else plugins.rules(name)
        return (users.table(name), *own) if users else own

    return tables


def known_rules() -> list[str]:
    """Clouds that have rules of their own, installed."""
    return _plugins(None).names("rules")


def book_for(cloud: SimCloud, tables: Tables) -> Rulebook:
    """The cloud's own rules first."""
    return Rulebook([RuleTable(rules=cloud.own_rules), *tables(cloud.rules)])
