"""What the smaller clouds' answers have in common: the words for stock, limits, money, keys, and HTTP statuses."""

from __future__ import annotations

from skyx_core.api import ErrorRule, RuleTable, Scope
from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    BUSY,
    CAPACITY,
    CLOUD,
    CONFIG,
    NOT_FOUND,
    PATIENT,
    PERMISSION,
    QUOTA,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    USER_ERROR,
    ZONE_TYPE,
    Rows,
)

WRAPPERS = r".*(?:Error|Exception)|ERR"
THROTTLED = (
    r"too[ _]many[ _]requests|rate[ _-]?limit|throttl|requests? too frequent|requests per (?:second|minute|hour)"
)
STOCK = (
    r"out[ _]of[ _](?:host )?(?:stock|capacity)|sold out|(?:not|n.t)(?: have)? enough (?:\w+ )?(?:capacity|resources?"
    r"|hosts?|gpus?)"
    r"|(?:insufficient|no|lacks?) (?:\w+ )?(?:capacity|resources)|resources? exhausted|capacity (?:is )?exhausted"
    r"|no (?:longer any )?(?:\w+ ){0,3}(?:instances?|hosts?|machines?|offers?|gpus?|servers?) (?:\w+ )?available"
)
MONEY = (
    r"(?:insufficient|not enough|lacks?|low|negative|out of) (?:\w+ )?(?:funds|balance|credits?)"
    r"|balance (?:is )?(?:too low|negative|insufficient)"
    r"|payment (?:is )?(?:required|method|failed|overdue)|(?:billing|credit card|past due|overdue|unpaid|spending cap)"
    r"|account .{0,30}(?:suspended|disabled|inactive|locked|blocked|not (?:active|verified))|verify your (?:account"
    r"|email|identity)"
)
LIMIT = (
    r"quota|(?:limit|maximum)[^.:]{0,60}(?:exceeded|reached|hit)|(?:exceed|reach|hit)[^.:]{0,70}(?:limit|maximum)"
    r"|maximum number of|limit of \d+"
)
LOGIN = (
    r"(?:invalid|wrong|bad|expired|missing|revoked|incorrect)[^.]{0,30}(?:api[ _-]?key|token|credentials?|user key"
    r"|signature)"
    r"|(?:api[ _-]?key|token|credentials?|signature)[^.]{0,40}(?:invalid|expired|revoked|not valid|could not be found"
    r"|missing)"
    r"|unauthenticated|unable to authenticate|not authenticated|authentication (?:failed|required|error)"
    r"|unauthorized request|requires authentication"
)
RIGHT = (
    r"permission|not (?:authorized|allowed|permitted)|forbidden|access denied|denied by policy|policy does ?n.t allow"
)
ABSENT = r"(?:not found|does ?n.t exist|does not exist|no such|could not be found|unknown (?:image|key|network|volume))"
BUSY_TEXT = (
    r"in progress|locked|is busy|being (?:created|deleted|modified)|conflict|ongoing|another (?:request"
    r"|operation|action)|try again later"
)


def usual(rows: Rows, broad: Scope = CLOUD, zones: bool = False) -> tuple[ErrorRule, ...]:
    """The last rows of a table. ``broad``: what a throttle or an outage blocks when it lasts; ``zones``: it has "
    "zones."""
    return (
        rows.again(
            "usual.throttled",
            RATE_LIMIT,
            broad,
            PATIENT,
            status=429,
            hint="{cloud} takes no more calls for now; tried again",
        ),
        rows.again(
            "usual.throttled-told",
            RATE_LIMIT,
            broad,
            PATIENT,
            message=THROTTLED,
            hint="{cloud} takes no more calls for now; tried again",
        ),
        rows.block(
            "usual.login-told", AUTH, CLOUD, message=LOGIN, hint="{cloud} does not accept the credentials; renew them"
        ),
        rows.block("usual.login", AUTH, CLOUD, status=401, hint="{cloud} does not accept the credentials; renew them"),
        rows.block(
            "usual.money-told",
            CONFIG,
            CLOUD,
            message=MONEY,
            hint="{cloud} wants its bill, balance or account put in order",
        ),
        rows.block(
            "usual.money", CONFIG, CLOUD, status=402, hint="{cloud} wants its bill, balance or account put in order"
        ),
        rows.block(
            "usual.stock",
            CAPACITY,
            ZONE_TYPE if zones else TYPE,
            message=STOCK,
            hint="{cloud} has no {instance_type} in {zone} now",
        ),
        rows.block(
            "usual.limit-objects",
            QUOTA,
            REGION,
            message=rf"^(?=.*(?:{LIMIT}))(?=.*(?:volume|disk|storage|\bips?\b|address|network|floating|snapshot))",
            hint="a limit on disks, addresses or networks at {cloud} is reached; see the message",
        ),
        rows.block(
            "usual.limit",
            QUOTA,
            TYPE,
            message=LIMIT,
            hint="a limit of the account at {cloud} is reached; ask for a higher one",
        ),
        rows.block("usual.right", PERMISSION, CLOUD, status=403, hint="the key lacks a right at {cloud}"),
        rows.block(
            "usual.absent",
            NOT_FOUND,
            REGION,
            message=ABSENT,
            hint="something that is named (image, key, network) does not exist in {region}",
        ),
        rows.block(
            "usual.absent-status",
            NOT_FOUND,
            REGION,
            status=404,
            hint="something that is named does not exist in {region}",
        ),
        rows.block("usual.right-told", PERMISSION, CLOUD, message=RIGHT, hint="the key lacks a right at {cloud}"),
        rows.again(
            "usual.busy", TRANSIENT, TYPE, BUSY, status=409, hint="another change is under way there; it is waited for"
        ),
        *(
            rows.again(
                f"usual.server-{status}",
                TRANSIENT,
                broad,
                BRIEF,
                status=status,
                hint="{cloud} has trouble; tried again",
            )
            for status in (500, 502, 503, 504)
        ),
        rows.again(
            "usual.server",
            TRANSIENT,
            broad,
            BRIEF,
            message=r"internal (?:server )?error|something went wrong|unavailable|timed? ?out|deadline exceeded"
            r"|connection (?:reset|refused|aborted)|bad gateway",
            hint="{cloud} has trouble; tried again",
        ),
        rows.again(
            "usual.busy-told",
            TRANSIENT,
            TYPE,
            BUSY,
            message=BUSY_TEXT,
            hint="another change is under way there; it is waited for",
        ),
        *(
            rows.block(
                f"usual.refused-{status}",
                USER_ERROR,
                TYPE,
                status=status,
                hint="{cloud} refuses the request; see the message",
            )
            for status in (400, 422)
        ),
    )


def table(
    own: tuple[ErrorRule, ...], rows: Rows, broad: Scope = CLOUD, zones: bool = False, without: tuple[str, ...] = ()
) -> RuleTable:
    """A cloud's own rows, whose codes are known in texts too, and what is usual.

    ``without``: names of usual rows that the cloud's own make needless.
    """
    needless = {f"{rows.cloud}.usual.{name}" for name in without}
    last = (rule for rule in usual(rows, broad, zones) if rule.id not in needless)
    return RuleTable(rules=(*own, *last), code_in_text=True, wrappers=(WRAPPERS,))
