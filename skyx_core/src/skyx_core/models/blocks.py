"""From a cloud's error to what must not be tried."""

from enum import StrEnum

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


class BlockKey(Model):
    """A pattern of candidates; an unset field matches anything."""

    cloud: str | None = None
    account: str | None = None
    region: str | None = None
    zone: str | None = None
    instance_type: str | None = None
    quota_bucket: str | None = None
    accelerator: str | None = None  # any number of this one
    accelerators: tuple[tuple[str, float], ...] | None = None  # exactly these, sorted by name
    use_spot: bool | None = None
    reservation: str | None = None


class Block(Model):
    """``key`` must not be tried before ``until`` (seconds since the epoch; None = until the launch ends)."""

    key: BlockKey
    rule: str
    reason: str
    until: float | None = None


class Retry(Model):
    """Try the same place again, at most ``max`` times, ``wait`` seconds apart."""

    max: int = Field(ge=1, le=100)
    wait: float = Field(ge=0)


class Verdict(Model):
    """What one error means. A failed attempt ends in a block, an abort, or a bounded retry whose end blocks."""

    category: Category
    scope: Scope
    rule: str
    blocks: tuple[Block, ...] = ()
    retry: Retry | None = None
    blocks_after: tuple[Block, ...] = ()  # when the retries are used up
    abort: bool = False  # the user's mistake: no other place can help
    nodes_may_exist: bool = True
    reason: str = ""
    hint: str = ""


class ErrorRule(Model):
    """One row of a table. ``code`` and ``message`` are regular expressions (code: whole, message: found anywhere,
    case ignored); unset = any. ``ttl``: seconds that the block stays. ``source``: where the fact is from, with a date.
    """

    id: str
    code: str | None = None
    message: str | None = None
    operation: str | None = None
    status: int | None = None
    category: Category
    scope: Scope
    ttl: float = 600
    retry: Retry | None = None
    abort: bool = False
    nodes_may_exist: bool = True
    hint: str = ""
    source: str = ""
