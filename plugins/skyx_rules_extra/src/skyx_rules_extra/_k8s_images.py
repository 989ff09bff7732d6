"""Error rules: kubernetes, images that can't be pulled and containers that don't start."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    BRIEF,
    CAPACITY,
    CONFIG,
    NOT_FOUND,
    PATIENT,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    USER_ERROR,
    Rows,
)

_IMAGE = Rows("kubernetes", "kubelet image pull reasons and registry answers (OCI distribution spec), read 2026-11-30")
_POD = Rows("kubernetes", "kubelet container and pod reasons, kubernetes.io pod lifecycle, read 2026-11-30")
_PULL = r"ErrImagePull|ImagePullBackOff|Failed|BackOff|ImageInspectError|RegistryUnavailable|SignatureValidationFailed"
_START = r"(?:Run|Create)ContainerError|StartError|ContainerCannotRun|Failed\w*|CrashLoopBackOff|Error|BackOff"

_IMAGE_WORD = r"(?:image|pull|manifest|registry|reference)"

_NAMED = r"(?P<what>secret|configmap|storageclass\S*)s? \"?(?P<name>[^\s\"]+)\"? (?:is )?not found"

IMAGES: tuple[ErrorRule, ...] = (
    _IMAGE.abort("image.name", code="InvalidImageName", hint="the image's name is not a valid reference"),
    _IMAGE.block(
        "image.never",
        CONFIG,
        REGION,
        code="ErrImageNeverPull",
        hint="imagePullPolicy Never, and the image is not on the node",
    ),
    _IMAGE.again(
        "image.throttled",
        RATE_LIMIT,
        REGION,
        PATIENT,
        code=_PULL,
        message=r"too ?many ?requests|pull rate limit|rate limit|\b429\b",
        hint="the registry limits pulls; log in there or use a mirror",
    ),
    _IMAGE.block(
        "image.disk-full",
        CAPACITY,
        TYPE,
        code=_PULL,
        message=r"no space left on device|disk quota exceeded",
        hint="the node's disk is full; use a smaller image or bigger node disks",
    ),
    _IMAGE.block(
        "image.architecture",
        USER_ERROR,
        TYPE,
        code=_PULL + "|" + _START,
        message=r"exec format error|no match(?:ing manifest)? for|no image found in (?:manifest|image index)",
        hint="the image is not built for the CPU of {instance_type}; build it for that or choose another machine",
    ),
    _IMAGE.again(
        "image.network",
        TRANSIENT,
        REGION,
        BRIEF,
        code=_PULL,
        message=r"time(?:d ?)?-?out|no such host|connection (?:refused|reset)|deadline exceeded|unexpected EOF|: EOF"
        r"|\b50[0234]\b"
        r"|temporar|server misbehaving|network is unreachable|service unavailable|internal server error"
        r"|no route to host|broken pipe",
        hint="the registry did not answer the nodes of {region}; tried again",
    ),
    _IMAGE.block(
        "image.certificate",
        CONFIG,
        REGION,
        code=_PULL,
        message=r"x509|certificate|server gave HTTP response to HTTPS",
        hint="the nodes of {region} do not trust the registry's certificate",
    ),
    _IMAGE.abort(
        "image.absent",
        code=_PULL,
        message=rf"manifest unknown|name unknown|tag .{{0,80}}(?:not found|does not exist|unknown)"
        rf"|{_IMAGE_WORD}.{{0,300}}: not found",
        hint="the image or its tag does not exist; check the name",
    ),
    _IMAGE.abort(
        "image.login",
        code=_PULL,
        message=r"pull access denied|unauthorized|authentication required|authorization failed|denied|no basic auth"
        r"|forbidden"
        r"|\b40[13]\b|insufficient_scope|credential|may require|repository does not exist",
        hint="the image cannot be pulled: check its name, or give the registry's credentials",
    ),
    _IMAGE.abort(
        "image.not-found",
        code="ErrImagePull|ImagePullBackOff",
        message=r"not found",
        hint="the image does not exist; check its name and tag",
    ),
    _IMAGE.abort("image.unsigned", code="SignatureValidationFailed", hint="the image's signature is not valid"),
    _IMAGE.block(
        "image.failed",
        USER_ERROR,
        REGION,
        code="ErrImagePull|ImagePullBackOff|ImageInspectError",
        hint="the image cannot be pulled in {region}; see 'kubectl describe pod'",
    ),
    _IMAGE.block(
        "image.failed-told",
        USER_ERROR,
        REGION,
        message=r"(?:back-off pulling|failed to pull) image",
        hint="the image cannot be pulled in {region}; see 'kubectl describe pod'",
    ),
)

CONTAINERS: tuple[ErrorRule, ...] = (
    _POD.block(
        "container.named-object",
        NOT_FOUND,
        REGION,
        code=r"CreateContainerConfigError|Failed\w*",
        message=_NAMED,
        hint="{what} {name} is missing in {region}; create it in the namespace",
    ),
    _POD.block(
        "container.key",
        NOT_FOUND,
        REGION,
        message=r"(?:couldn.t find|non-?existent) (?:config )?key|references non-existent",
        hint="the secret or config map lacks a key that the pod names",
    ),
    _POD.abort(
        "container.root",
        message=r"runAsNonRoot|image will run as root|non-numeric user",
        hint="the image runs as root, which the pod forbids; set another user",
    ),
    _POD.block(
        "container.config",
        CONFIG,
        REGION,
        code="CreateContainerConfigError",
        hint="the container's configuration is refused in {region}; see the message",
    ),
    _POD.block(
        "container.out-of-memory",
        USER_ERROR,
        TYPE,
        code="OOMKilled|OutOfMemory",
        hint="setup ran out of memory on {instance_type}; ask for more",
    ),
    _POD.block(
        "container.out-of-memory-told",
        USER_ERROR,
        TYPE,
        code=_START,
        message=r"OOMKilled|exit code:? 137",
        hint="setup ran out of memory on {instance_type}; ask for more",
    ),
    _POD.block(
        "container.driver",
        CONFIG,
        REGION,
        code=_START,
        message=r"nvidia-container|libnvidia|could not select device driver|driver/library version|no runtime for"
        r"|unknown runtime"
        r"|RuntimeHandler|unresolvable CDI",
        hint="the accelerator driver or container runtime on the nodes of {region} is broken; ask the cluster's "
        "administrator",
    ),
    _POD.abort(
        "container.command",
        code=_START,
        message=r"executable file not found|no such file or directory|permission denied|not a directory|exec: \"",
        hint="the image lacks the command that starts it",
    ),
    _POD.abort(
        "container.crashes",
        code=r"CrashLoopBackOff|BackOff",
        hint="the container ends again and again; see 'kubectl logs --previous'",
    ),
    _POD.abort(
        "container.exits",
        code=r"Error|ContainerCannotRun|StartError|Completed|PodFailed|InitContainerError",
        hint="the container ended at once; see 'kubectl logs'",
    ),
    _POD.abort(
        "container.privileges",
        message=r"insufficient system privileges|NOPASSWD|passwordless sudo|sudo: (?:command )?not found",
        hint="the image needs root or passwordless sudo",
    ),
    _POD.again(
        "container.create",
        TRANSIENT,
        REGION,
        BRIEF,
        code=r"CreateContainerError|RunContainerError|CreatePodSandboxError"
        r"|KillContainerError|PostStartHookError|FailedPostStartHook|FailedPreStopHook|KillPodSandboxError",
        hint="the node could not start the container; tried again",
    ),
)
