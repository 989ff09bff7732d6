"""Clouds of a test's own making that can only be planned over, and a session that sees nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from skyx_core.api import Candidate, Capability, CloudDriver, Idempotency, Link, Offer, Request, WhyNot
from skyx_core.session import Session

OTHERS = ["local", "sim", "sim2", "sim3", "fakevm", "fakepod"]  # what else may be installed
Offers = Callable[[Request], Iterable[Offer]]


class MarketDriver(CloudDriver):
    """What a plan needs of a driver; nothing can be made."""

    idempotency = Idempotency.TOKEN
    link = Link.SANDBOX
    capabilities = frozenset(Capability) - {Capability.FALLBACK}
    sells: Offers
    refuses: Callable[[Candidate, Request], Sequence[WhyNot]] = staticmethod(lambda candidate, request: ())

    def offers(self, query: Request) -> Iterable[Offer]:
        return type(self).sells(query)

    def lacks(self, candidate: Candidate, needs: Request) -> Sequence[WhyNot]:
        return type(self).refuses(candidate, needs)

    def _nothing(self, *_arguments: object) -> object:
        raise NotImplementedError

    locate = provision = find = describe = teardown = inventory = runner = _nothing


def market(cloud: str, sells: Offers | Sequence[Offer], **attributes: object) -> tuple[str, str, type[CloudDriver]]:
    """As ``Session(plugins=[...])`` takes it. A list is sorted by price, and not filtered."""
    rows = [] if callable(sells) else sorted(sells, key=lambda offer: offer.hourly_usd)
    given = sells if callable(sells) else lambda _query: iter(rows)
    body = {"name": cloud, "sells": staticmethod(given), **attributes}
    return ("cloud", cloud, type(f"Market_{cloud}", (MarketDriver,), body))


def session(home: Path, *clouds: tuple[str, str, type[CloudDriver]], **settings: object) -> Session:
    return Session(
        environ={"SKYX_HOME": str(home)}, cwd=home, plugins=clouds, flags={"disable_clouds": OTHERS, **settings}
    )
