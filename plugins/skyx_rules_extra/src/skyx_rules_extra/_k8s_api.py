"""Error rules: kubernetes, answers of the API server. Each blocks its own context only."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    BUSY,
    CONFIG,
    HOUR,
    NOT_FOUND,
    PATIENT,
    PERMISSION,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    UNSUPPORTED,
    Rows,
)

_API = Rows("kubernetes", "kubernetes.io API conventions: Status reasons, read 2026-11-30")

API: tuple[ErrorRule, ...] = (
    _API.again(
        "api.annotation",
        CONFIG,
        REGION,
        BRIEF,
        code="Invalid|422|FieldValueForbidden",
        message=r"apparmor|appArmorProfile",
        hint="the server refuses the AppArmor annotation; tried again without it",
    ),
    _API.again(
        "api.port-taken",
        TRANSIENT,
        REGION,
        BRIEF,
        code="Invalid|422|FieldValueInvalid",
        message=r"already allocated",
        hint="the port or address is taken; another is tried",
    ),
    _API.abort(
        "api.invalid",
        code=r"Invalid|422|FieldValue\w+|UnprocessableEntity|RequestEntityTooLarge|RequestTooLarge",
        hint="the pod or object is not valid; see the message for the field",
    ),
    _API.again(
        "api.not-started",
        TRANSIENT,
        TYPE,
        BUSY,
        code="BadRequest|400",
        message=r"waiting to start|does not have a host|not (?:yet )?(?:running|ready)|container not found",
        hint="the container is not up yet; it is waited for",
    ),
    _API.abort("api.bad-request", code="BadRequest|400", hint="the request is not valid Kubernetes; see the message"),
    _API.block(
        "api.rbac",
        PERMISSION,
        REGION,
        code="Forbidden|403",
        hint="the user or service account of {region} lacks this right; grant it in the namespace",
    ),
    _API.block(
        "api.rbac-told",
        PERMISSION,
        REGION,
        message=r"is forbidden: |cannot (?:create|get|list|patch|delete|watch) resource|handshake status 403",
        hint="the user or service account of {region} lacks this right; grant it in the namespace",
    ),
    _API.block(
        "api.login",
        AUTH,
        REGION,
        code="Unauthorized|401",
        hint="the login of context {region} is not valid any more; renew the kubeconfig",
    ),
    _API.block(
        "api.login-status",
        AUTH,
        REGION,
        status=401,
        hint="the login of context {region} is not valid any more; renew the kubeconfig",
    ),
    _API.block(
        "api.login-told",
        AUTH,
        REGION,
        message=r"must be logged in to the server|provide credentials|token (?:has|is) expired|expired token"
        r"|ExpiredToken|handshake status 401|refresh token|invalid bearer",
        hint="the login of context {region} is not valid any more; renew the kubeconfig",
    ),
    _API.block(
        "api.namespace",
        NOT_FOUND,
        REGION,
        message=r"namespaces? \"?(?P<name>[^\s\"]+)\"? (?:was |is )?(?:not found|does not exist)",
        hint="create namespace {name} in {region}, or fix the context",
    ),
    _API.block(
        "api.kind",
        UNSUPPORTED,
        REGION,
        message=r"could not find the requested resource|no matches for kind|no kind .{0,80}is registered"
        r"|unknown (?:kind|api)",
        hint="the cluster {region} does not know this kind of object; install what provides it",
    ),
    _API.again(
        "api.pod-gone",
        TRANSIENT,
        TYPE,
        BRIEF,
        code="NotFound|404",
        message=r"pods? \"?[^\s\"]+\"? not found",
        hint="the pod was deleted from outside; it is created again",
    ),
    _API.block(
        "api.not-found",
        NOT_FOUND,
        REGION,
        code="NotFound|404",
        hint="something that is named does not exist in {region}; see the message",
    ),
    _API.block(
        "api.storage-full",
        CONFIG,
        REGION,
        message=r"database space exceeded|etcdserver: no space",
        ttl=HOUR,
        hint="the store of {region}'s control plane is full; ask the cluster's administrator",
    ),
    _API.again(
        "api.exists",
        TRANSIENT,
        REGION,
        BRIEF,
        code="AlreadyExists|Conflict|409",
        hint="an object of that name is there or just changes; tried again",
    ),
    _API.again(
        "api.exists-told",
        TRANSIENT,
        REGION,
        BRIEF,
        message=r"already exists|object is being deleted",
        hint="an object of that name is there or just changes; tried again",
    ),
    _API.again(
        "api.throttled",
        RATE_LIMIT,
        REGION,
        PATIENT,
        code="TooManyRequests|429",
        hint="the API server of {region} is busy; tried again",
    ),
    _API.again(
        "api.throttled-told",
        RATE_LIMIT,
        REGION,
        PATIENT,
        message=r"too many requests|rate limiter|client-side throttling|request throttled",
        hint="the API server of {region} is busy; tried again",
    ),
    _API.again(
        "api.server",
        TRANSIENT,
        REGION,
        BRIEF,
        code=r"InternalError|ServerTimeout|Timeout|ServiceUnavailable|Gone|Expired|GatewayTimeout|StoreReadError"
        r"|50[0234]|410",
        hint="the API server of {region} has trouble; tried again",
    ),
    _API.again(
        "api.server-told",
        TRANSIENT,
        REGION,
        BRIEF,
        message=r"etcdserver|leader changed|apiserver (?:is )?not ready|server is currently unable"
        r"|unable to handle the request|internal error occurred"
        r"|handshake status (?:400|404|50\d)|error dialing backend|connection (?:was )?aborted|remote end closed"
        r"|RemoteDisconnected|read timed out|readtimeout|connection reset|unexpected EOF",
        hint="the API server of {region} has trouble; tried again",
    ),
    _API.block(
        "api.unsupported",
        UNSUPPORTED,
        REGION,
        code="MethodNotAllowed|NotAcceptable|UnsupportedMediaType|40[56]|415",
        hint="the API server of {region} does not offer this call",
    ),
)
