"""Each name here breaks the contract in another way."""

from __future__ import annotations

from skyx_good import GoodCloud

from skyx_core.api import CloudDriver, Idempotency, Link, Model

INSTANCE = object()
BAD_RULES = ("not a rule",)


class OtherApi(GoodCloud):
    """Of another age."""

    name = "otherapi"
    api_version = 99


class Incomplete(CloudDriver[Model]):
    """Without most methods."""

    name = "incomplete"
    idempotency = Idempotency.NONE
    link = Link.SSH


class Misnamed(GoodCloud):
    """Named otherwise by its entry point."""

    name = "something-else"


_WITHOUT_LINK = {
    key: value
    for key, value in vars(GoodCloud).items()
    if key not in {"link", "__dict__", "__weakref__", "__abstractmethods__", "_abc_impl"}
}
Unlinked = type("Unlinked", (CloudDriver,), {**_WITHOUT_LINK, "name": "unlinked"})
