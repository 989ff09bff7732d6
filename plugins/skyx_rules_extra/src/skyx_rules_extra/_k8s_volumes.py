"""Error rules: kubernetes, volumes that are not made, attached or mounted."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    BUSY,
    CAPACITY,
    CONFIG,
    HOUR,
    MINUTE,
    NOT_FOUND,
    PERMISSION,
    QUOTA,
    REGION,
    TRANSIENT,
    TYPE,
    Rows,
)

_VOLUME = Rows("kubernetes", "kubernetes.io storage pages; kubelet and external-provisioner events, read 2026-11-30")
_NAMED = r"(?P<what>secret|configmap|storageclass\S*)s? \"?(?P<name>[^\s\"]+)\"? (?:is )?not found"
_VOL = r"FailedMount|FailedAttachVolume|FailedMapVolume|VolumeMount\w*"
_PROVISION = r"ProvisioningFailed|FailedBinding|VolumeResizeFailed|ProvisioningCleanupFailed"

VOLUMES: tuple[ErrorRule, ...] = (
    _VOLUME.block(
        "volume.class",
        NOT_FOUND,
        REGION,
        code=_PROVISION + "|FailedMount|FailedScheduling",
        message=_NAMED,
        hint="{what} {name} does not exist in {region}; create it",
    ),
    _VOLUME.again(
        "volume.waiting",
        TRANSIENT,
        REGION,
        BUSY,
        code=r"ExternalProvisioning|WaitForFirstConsumer|WaitForPodScheduled|Provisioning",
        hint="a volume of {region} is being made",
    ),
    _VOLUME.block(
        "volume.quota",
        QUOTA,
        REGION,
        code=_PROVISION,
        message=r"quota|limit ?exceeded|ResourceExhausted|exceeds? (?:the )?limit|maximum number",
        hint="the disk quota of the cloud behind {region} is used up",
    ),
    _VOLUME.block(
        "volume.right",
        PERMISSION,
        REGION,
        code=_PROVISION + "|" + _VOL,
        message=r"unauthorized|permission|access ?denied|forbidden|not authorized|AuthorizationFailed",
        hint="the storage driver of {region} lacks a right, or the share refuses this client",
    ),
    _VOLUME.block(
        "volume.in-use",
        CONFIG,
        REGION,
        code=_VOL,
        message=r"multi-attach|already (?:exclusively )?(?:attached|used by|in use|mounted)|in use by another"
        r"|is being used by",
        ttl=5 * MINUTE,
        hint="the volume is attached to another pod or node; stop that, or use ReadWriteMany",
    ),
    _VOLUME.block(
        "volume.slots",
        CAPACITY,
        TYPE,
        code=_VOL,
        message=r"attachment limit|max(?:imum)? (?:number of )?(?:volumes|attach)|too many (?:volumes|disks)",
        ttl=5 * MINUTE,
        hint="the node can hold no more volumes",
    ),
    _VOLUME.block(
        "volume.driver",
        CONFIG,
        REGION,
        code=_VOL + "|" + _PROVISION,
        message=r"not found in the list of registered CSI drivers|no volume plugin|unknown filesystem|wrong fs type"
        r"|bad option|missing (?:codepage|helper)|need a helper",
        hint="the nodes of {region} lack the storage driver or mount program",
    ),
    _VOLUME.block(
        "volume.absent",
        NOT_FOUND,
        REGION,
        code=_VOL + "|" + _PROVISION,
        message=r"(?<!list )(?:not found|does not exist|no such file|hostPath type check failed)",
        hint="what the volume points to does not exist in {region}",
    ),
    _VOLUME.again(
        "volume.slow",
        TRANSIENT,
        REGION,
        BUSY,
        code=r"FailedMount|FailedAttachVolume|FailedMapVolume|VolumeMount\w*|FailedDetachVolume",
        hint="a volume of {region} is not there yet; it is waited for",
    ),
    _VOLUME.again(
        "volume.provisioner-busy",
        TRANSIENT,
        REGION,
        BUSY,
        code=_PROVISION,
        message=r"deadline ?exceeded|timed? ?out|unavailable|connection|aborted|already exists|in progress"
        r"|internal error|throttl",
        hint="the storage provisioner of {region} is slow; tried again",
    ),
    _VOLUME.block(
        "volume.failed",
        CONFIG,
        REGION,
        code=_PROVISION,
        ttl=HOUR,
        hint="no volume can be made in {region}; check storage class and provisioner",
    ),
)
