"""Error rules: kubernetes, quotas, policies and webhooks of a cluster."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    BRIEF,
    BUSY,
    CONFIG,
    NOT_FOUND,
    PERMISSION,
    QUOTA,
    REGION,
    TRANSIENT,
    TYPE,
    Rows,
)

_ADMISSION = Rows("kubernetes", "kubernetes.io admission controllers, quotas and limit ranges, read 2026-11-30")
_WEBHOOK = r"failed calling webhook|failed to call webhook|calling admission webhook"
_DENIED = r"Forbidden|FailedCreate|BadRequest|InternalError|Invalid|NotAcceptable|PolicyViolation|403|"

ADMISSION: tuple[ErrorRule, ...] = (
    _ADMISSION.again(
        "quota.conflict",
        TRANSIENT,
        REGION,
        BRIEF,
        message=r"operation cannot be fulfilled|object has been modified",
        hint="two writers met; tried again",
    ),
    _ADMISSION.block(
        "quota.limits-missing",
        CONFIG,
        REGION,
        message=r"failed quota: \S+ must specify (?P<what>[\w.,/-]+)",
        hint="a quota of the namespace asks for {what} in each pod",
    ),
    _ADMISSION.block(
        "quota.objects",
        QUOTA,
        REGION,
        message=r"exceeded quota: (?P<quota>[^,\s]+),? requested: (?:count/\S+?|pods|services|persistentvolumeclaims"
        r"|services\.\w+|requests\.storage|secrets|configmaps|\S*storageclass\S*)=",
        hint="quota {quota} of the namespace in {region} allows no more of these objects",
    ),
    _ADMISSION.block(
        "quota.resources",
        QUOTA,
        TYPE,
        message=r"exceeded quota: (?P<quota>[^,\s]+)",
        hint="quota {quota} of the namespace in {region} is used up; end pods or ask for a larger one",
    ),
    _ADMISSION.block(
        "quota.range",
        QUOTA,
        TYPE,
        ttl="until_fixed",
        message=r"(?:maximum|minimum) \S+ (?:usage|limit|request)\w* per (?:container|pod|persistentvolumeclaim)"
        r"|limit to request ratio",
        hint="a limit range of the namespace in {region} forbids this size",
    ),
    _ADMISSION.block(
        "quota.spoken",
        QUOTA,
        TYPE,
        code=_DENIED,
        message=r"exceeded (?:the |its )?quota|quota (?:has been |is |was )?exceeded|over quota",
        hint="a quota of the namespace in {region} is used up",
    ),
    _ADMISSION.block(
        "webhook.certificate",
        CONFIG,
        REGION,
        message=rf"(?:{_WEBHOOK}).{{0,300}}(?:x509|certificate)",
        hint="a webhook of {region} has a bad certificate; ask the cluster's administrator",
    ),
    _ADMISSION.again(
        "webhook.unanswered",
        TRANSIENT,
        REGION,
        BRIEF,
        message=_WEBHOOK,
        hint="a webhook of {region} did not answer; tried again",
    ),
    _ADMISSION.block(
        "policy.webhook",
        PERMISSION,
        REGION,
        code=_DENIED,
        message=r"admission webhook \"?(?P<hook>[\w./-]+)\"? denied|denied the request|GKE Warden"
        r"|ValidatingAdmissionPolicy|admission control",
        hint="a policy of {region} forbids the pod; see the message, or ask the cluster's administrator",
    ),
    _ADMISSION.block(
        "policy.security",
        PERMISSION,
        REGION,
        message=r"violates PodSecurity|pod ?security ?polic|security context constraint|privileged .{0,40}not allowed"
        r"|hostPath .{0,40}not allowed",
        hint="the security policy of the namespace in {region} forbids the pod",
    ),
    _ADMISSION.again(
        "namespace.ending",
        TRANSIENT,
        REGION,
        BUSY,
        message=r"is being terminated|namespace .{0,80}terminating",
        hint="the namespace is being deleted; it is waited for",
    ),
    _ADMISSION.again(
        "account.fresh",
        TRANSIENT,
        REGION,
        BRIEF,
        message=r"service ?account \"?(?:\S+/)?default\"? (?:was )?not found|no API token found",
        hint="the namespace is new; its default service account comes in a moment",
    ),
    _ADMISSION.block(
        "account.missing",
        NOT_FOUND,
        REGION,
        message=r"service ?account \"?(?P<name>[^\s\"]+)\"? (?:was )?not found",
        hint="the service account {name} is missing in {region}; create it",
    ),
    _ADMISSION.block(
        "class.missing",
        NOT_FOUND,
        REGION,
        message=r"(?:no )?(?P<what>PriorityClass|RuntimeClass|IngressClass"
        r"|StorageClass)\S* (?:with name )?\"?(?P<name>[^\s\"]+)\"? (?:was |is )?(?:not )?found",
        hint="{what} {name} is missing in {region}; create it",
    ),
)
