"""Error rules: kubernetes, what becomes of a pod on its node: images, containers, volumes, lost nodes."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    ARRIVING,
    BRIEF,
    BUSY,
    CAPACITY,
    CONFIG,
    HOUR,
    MINUTE,
    NOT_FOUND,
    PATIENT,
    PERMISSION,
    QUOTA,
    RATE_LIMIT,
    REGION,
    TRANSIENT,
    TYPE,
    USER_ERROR,
    Rows,
)

_IMAGE = Rows("kubernetes", "kubelet image pull reasons and registry answers (OCI distribution spec), read 2026-11-30")
_POD = Rows("kubernetes", "kubelet container and pod reasons, kubernetes.io pod lifecycle, read 2026-11-30")
_VOLUME = Rows("kubernetes", "kubernetes.io storage pages; kubelet and external-provisioner events, read 2026-11-30")

_PULL = r"ErrImagePull|ImagePullBackOff|Failed|BackOff|ImageInspectError|RegistryUnavailable|SignatureValidationFailed"
_START = r"(?:Run|Create)ContainerError|StartError|ContainerCannotRun|Failed\w*|CrashLoopBackOff|Error|BackOff|"
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
        message=r"time(?:d ?)?-?out|no such host|connection (?:refused|reset)|deadline exceeded|unexpected EOF|: EOF|\b50[0234]\b"
        r"|temporar|server misbehaving|network is unreachable|service unavailable|internal server error|no route to host|broken pipe",
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
        message=rf"manifest unknown|name unknown|tag .{{0,80}}(?:not found|does not exist|unknown)|{_IMAGE_WORD}.*: not found",
        hint="the image or its tag does not exist; check the name",
    ),
    _IMAGE.abort(
        "image.login",
        code=_PULL,
        message=r"pull access denied|unauthorized|authentication required|authorization failed|denied|no basic auth|forbidden"
        r"|\b40[13]\b|insufficient_scope|credential|may require|repository does not exist",
        hint="the image cannot be pulled: check its name, or give the registry's credentials",
    ),
    _IMAGE.abort(
        "image.not-found",
        code="ErrImagePull|ImagePullBackOff|Failed",
        message=rf"(?=.*{_IMAGE_WORD})(?=.*not found)",
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
        message=r"nvidia-container|libnvidia|could not select device driver|driver/library version|no runtime for|unknown runtime"
        r"|RuntimeHandler|unresolvable CDI",
        hint="the accelerator driver or container runtime on the nodes of {region} is broken; ask the cluster's administrator",
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

NODES: tuple[ErrorRule, ...] = (
    _POD.block(
        "node.addresses",
        CONFIG,
        REGION,
        code=r"FailedCreatePodSandBox|NetworkNotReady|",
        message=r"failed to (?:assign|allocate)[^:]{0,40}(?:ip|address)|no (?:free|available) (?:ip|addresses)|range is full|IPAM.*exhausted",
        ttl=10 * MINUTE,
        hint="the pod network of {region} has no free addresses",
    ),
    _POD.again(
        "node.sandbox",
        TRANSIENT,
        REGION,
        BRIEF,
        code=r"FailedCreatePodSandBox|NetworkNotReady|SandboxChanged|FailedCreatePodContainer",
        hint="the pod network of {region} is not ready; tried again",
    ),
    _POD.block(
        "node.pod-disk",
        USER_ERROR,
        TYPE,
        code="Evicted",
        message=r"exceeds the (?:total )?(?:limit|local)|local ephemeral storage (?:limit|usage)|emptyDir",
        hint="the pod used more disk than it may; ask for more disk",
    ),
    _POD.again(
        "node.evicted",
        TRANSIENT,
        TYPE,
        BRIEF,
        code="Evicted",
        hint="the node ran short and put the pod out; it is created again",
    ),
    _POD.again(
        "node.lost",
        TRANSIENT,
        TYPE,
        BRIEF,
        code=r"Node(?:Lost|NotReady|Shutdown|Unreachable|ControllerEviction|Affinity|HasDiskPressure|Removed)|Terminated|Shutdown"
        r"|ContainerStatusUnknown|TaintManagerEviction|DeletionBy\w+|DisruptionTarget|EvictionByEvictionAPI|PodGC\w*|DeletingNode",
        hint="the pod's node was lost; the pod is created again",
    ),
    _POD.again(
        "node.lost-told",
        TRANSIENT,
        TYPE,
        BRIEF,
        message=r"node (?:is not ready|was lost|is being deleted)|imminent node shutdown|node \S+ .{0,60}(?:unresponsive|not ready|no longer exists)",
        hint="the pod's node was lost; the pod is created again",
    ),
    _POD.again(
        "node.starting",
        TRANSIENT,
        TYPE,
        ARRIVING,
        code=r"ContainerCreating|PodInitializing|Pulling|Scheduled|ContainersNotReady|ContainersNotInitialized|Pending",
        hint="the pod is starting; it is waited for",
    ),
    _POD.again(
        "node.unhealthy", TRANSIENT, REGION, BRIEF, code="Unhealthy|ProbeWarning", hint="the pod does not answer yet"
    ),
    _POD.block(
        "node.sysctl",
        CONFIG,
        REGION,
        code=r"SysctlForbidden|AppArmor|Seccomp\w*|PodOSNotSupported|PodFeatureUnsupported",
        hint="the nodes of {region} do not allow a setting of the pod",
    ),
    _POD.abort(
        "node.deadline",
        code="DeadlineExceeded",
        message=r"active .{0,40}longer than|active deadline|activeDeadline",
        hint="the pod's own time limit (activeDeadlineSeconds) is too short",
    ),
    _POD.block(
        "balancer.quota",
        QUOTA,
        REGION,
        code=r"SyncLoadBalancerFailed|CreatingLoadBalancerFailed",
        message=r"quota|limit ?exceeded|TooMany",
        hint="the cloud behind {region} allows no more load balancers or addresses",
    ),
    _POD.block(
        "balancer.config",
        CONFIG,
        REGION,
        code=r"SyncLoadBalancerFailed|CreatingLoadBalancerFailed",
        message=r"subnet|not authorized|forbidden|security group|permission",
        hint="the cluster {region} cannot make load balancers; see the message",
    ),
    _POD.again(
        "balancer.failed",
        TRANSIENT,
        REGION,
        BRIEF,
        code=r"SyncLoadBalancerFailed|CreatingLoadBalancerFailed",
        hint="no load balancer yet; tried again",
    ),
)

_VOL = r"FailedMount|FailedAttachVolume|FailedMapVolume|VolumeMount\w*|"
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
        message=r"multi-attach|already (?:exclusively )?(?:attached|used by|in use|mounted)|in use by another|is being used by",
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
        message=r"not found in the list of registered CSI drivers|no volume plugin|unknown filesystem|wrong fs type|bad option|missing (?:codepage|helper)|need a helper",
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
        message=r"deadline ?exceeded|timed? ?out|unavailable|connection|aborted|already exists|in progress|internal error|throttl",
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
