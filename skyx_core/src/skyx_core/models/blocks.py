"""From a cloud's error to what must not be tried."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import Field  # noqa: TID253 - models are pydantic

from skyx_core.models.base import Model


class Category(StrEnum):
    """What kind of failure an error is."""

    CAPACITY = "capacity"
    QUOTA = "quota"
    AUTH = "auth"
    PERMISSION = "permission"
    CONFIG = "config"
    NOT_FOUND = "not_found"
    RATE_LIMIT = "rate_limit"
    TRANSIENT = "transient"
    USER_ERROR = "user_error"
    UNSUPPORTED = "unsupported"
    PLUGIN = "plugin"
    UNKNOWN = "unknown"


class Scope(StrEnum):
    """How much one error blocks."""

    NONE = "none"
    ZONE = "zone"
    REGION = "region"
    INSTANCE_TYPE_IN_ZONE = "instance_type_in_zone"
    INSTANCE_TYPE_IN_REGION = "instance_type_in_region"
    ACCELERATOR = "accelerator"
    SPOT = "spot"
    CLOUD = "cloud"


UntilFixed = Literal["until_fixed"]
ANY_ACCELERATOR = "*"


class BlockKey(Model):
    """A pattern of candidates; an unset field matches anything."""

    cloud: str | None = None
    region: str | None = None
    zone: str | None = None
    instance_type: str | None = None
    quota_bucket: str | None = None  # what draws on this quota of the account
    accelerator: str | None = None  # any number of this one; "*" = of any
    accelerators: tuple[tuple[str, float], ...] | None = None  # exactly these, sorted by name
    use_spot: bool | None = None
    reservation: str | None = None  # "" = what draws on none
    request: str | None = None  # digest of what a request names itself (image, disk, ports, ...)


class Block(Model):
    """``key`` must not be tried from ``since`` to ``until`` (seconds since the epoch; None = until the launch ends).

    ``fingerprint``: of the credentials and the configuration that the error was met with; the block ends when they
    change. "" = they don't matter. ``account``: of the cloud, that met it; a search knows only those of the accounts
    that it uses ("" = the cloud has none). ``nodes``: it concerns clusters of so many nodes or more. ``grows_to``:
    seconds that it may last at most when the same is met again and again, each time twice as long; ``repeats`` counts
    that.
    """

    key: BlockKey
    rule: str
    reason: str
    category: Category = Category.UNKNOWN
    until: float | None = None
    since: float = 0.0
    fingerprint: str = ""
    account: str = ""
    nodes: int = Field(default=1, ge=1)
    grows_to: float | None = None
    repeats: int = 0


class Retry(Model):
    """Try the same place again, at most ``max`` times, ``wait`` seconds apart, each pause ``growth`` times the last."""

    max: int = Field(ge=1, le=100)
    wait: float = Field(ge=0, le=3600)
    growth: float = Field(default=1.0, ge=1, le=10)

    def pause(self, retry: int) -> float:
        """Seconds before retry number ``retry`` (from 1); at most ten minutes, or ``wait`` where that is more."""
        return min(self.wait * self.growth ** min(retry - 1, 60), max(self.wait, 600.0))


class Verdict(Model):
    """What one error means. A failed attempt ends in a block, an abort, or a bounded retry whose end blocks.

    ``ttl``: seconds, or "until_fixed", or None where nothing is blocked. ``prefer``: zones or regions that the error
    itself names as having capacity; they are tried next, which is no promise.
    """

    category: Category
    block: Scope
    rule: str
    blocks: tuple[Block, ...] = ()
    retry: Retry | None = None
    blocks_after: tuple[Block, ...] = ()  # when the retries are used up
    abort: bool = False  # the user's mistake: no other place can help
    nodes_may_exist: bool = True
    reason: str = ""
    hint: str = ""
    ttl: float | UntilFixed | None = None
    prefer: tuple[str, ...] = ()


class ErrorRule(Model):
    """One row of a table: what is met, and what it means.

    All that is set must fit one of the errors in an answer. ``code``, ``operation``, ``kind``, ``region`` and
    ``instance_type`` are regular expressions for the whole text, ``message`` for any part of it, case ignored.
    ``kind``: what sort of answer it is, as the driver says (``pod_status``, ``event``, ``client_exception``).
    ``use_spot`` and ``accelerators``: whether the candidate is spot, has any; ``zone``: whether its zone is known.
    ``code_in_text``: whether ``code`` is also looked for in the text of an error that has no code of its own; unset =
    as the table says. False for codes that are too common there.

    ``block``: what is not tried any more. ``retry``: try here again first; then ``block`` is "none" and ``block_after``
    says what is blocked once the retries are used up. ``abort``: no place can help; blocks nothing. ``ttl``: how long
    the block stays: seconds, "until_fixed" (until credentials or configuration change, a day at most) or unset: what
    is usual for the category. ``any_accelerator`` with block "accelerator": all candidates with any accelerator.
    ``account_wide`` with block "spot": in all regions. ``message`` may name groups: ``bucket`` (the quota that is used
    up), ``places`` (zones or regions with capacity, comma separated), and any that ``hint`` shows as ``{name}``; so do
    ``{cloud}``, ``{region}``, ``{zone}`` and ``{instance_type}``. ``source``: where the fact is from, with a date.
    """

    id: str
    code: str | None = None
    message: str | None = None
    operation: str | None = None
    status: int | None = None
    kind: str | None = None
    region: str | None = None
    instance_type: str | None = None
    use_spot: bool | None = None
    zone: bool | None = None
    accelerators: bool | None = None
    code_in_text: bool | None = None
    category: Category
    block: Scope = Scope.NONE
    block_after: Scope | None = None
    ttl: float | UntilFixed | None = None
    retry: Retry | None = None
    abort: bool = False
    any_accelerator: bool = False
    account_wide: bool = False
    nodes_may_exist: bool = True
    hint: str = ""
    source: str = ""


class RuleTable(Model):
    """The rules of one cloud, most specific first, and how its answers are taken apart.

    An answer may hold several errors: in lists, nested, or as JSON inside a text. Each object that has one of
    ``code_keys`` or ``message_keys`` is an error of its own. Errors whose code matches one of ``summaries`` (regular
    expressions, whole) only announce others, and count if they are alone.

    ``code_in_text``: an error without a code (what a tool printed) meets a rule that goes by a code if that code stands
    in its text as a whole word; words of plain language only where tools put codes: ``(Code)``, ``Code: ...``,
    ``code = Code``. ``wrappers``: codes (regular expressions, whole) that only name what a client raised; an error with
    one of them counts as one without a code, too. ``place_keys``: names under which an error holds zones or regions
    with capacity (a list, or a text with commas); they are preferred, besides those that a message names.
    """

    rules: tuple[ErrorRule, ...] = ()
    summaries: tuple[str, ...] = ()
    code_keys: tuple[str, ...] = ()  # besides the usual ones
    message_keys: tuple[str, ...] = ()
    code_in_text: bool = False
    wrappers: tuple[str, ...] = ()
    place_keys: tuple[str, ...] = ()

    @classmethod
    def joined(cls, tables: "Iterable[RuleTable]") -> "RuleTable":
        """One table: the first one's rules first, each looked for in texts as its own table says."""
        known = tuple(tables)
        return RuleTable(
            rules=tuple(rule for table in known for rule in table._settled()),
            summaries=tuple(dict.fromkeys(text for table in known for text in table.summaries)),
            code_keys=tuple(dict.fromkeys(key for table in known for key in table.code_keys)),
            message_keys=tuple(dict.fromkeys(key for table in known for key in table.message_keys)),
            wrappers=tuple(dict.fromkeys(text for table in known for text in table.wrappers)),
            place_keys=tuple(dict.fromkeys(key for table in known for key in table.place_keys)),
        )

    def _settled(self) -> "Iterable[ErrorRule]":
        for rule in self.rules:
            unset = rule.code_in_text is None and self.code_in_text
            yield rule.model_copy(update={"code_in_text": True}) if unset else rule
