"""Error rules: kubernetes, nodes that are lost or refuse, and balancers."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import ARRIVING, BRIEF, CONFIG, MINUTE, QUOTA, REGION, TRANSIENT, TYPE, USER_ERROR, Rows

_POD = Rows("kubernetes", "kubelet container and pod reasons, kubernetes.io pod lifecycle, read 2026-11-30")

NODES: tuple[ErrorRule, ...] = (
    _POD.block(
        "node.addresses",
        CONFIG,
        REGION,
        code=r"FailedCreatePodSandBox|NetworkNotReady|",
        message=r"failed to (?:assign|allocate)[^:]{0,40}(?:ip|address)|no (?:free|available) (?:ip|addresses)"
        r"|range is full|IPAM.{0,200}exhausted",
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
        code=r"Node(?:Lost|NotReady|Shutdown|Unreachable|ControllerEviction|Affinity|HasDiskPressure|Removed)"
        r"|Terminated|Shutdown"
        r"|ContainerStatusUnknown|TaintManagerEviction|DeletionBy\w+|DisruptionTarget|EvictionByEvictionAPI|PodGC\w*"
        r"|DeletingNode",
        hint="the pod's node was lost; the pod is created again",
    ),
    _POD.again(
        "node.lost-told",
        TRANSIENT,
        TYPE,
        BRIEF,
        message=r"node (?:is not ready|was lost|is being deleted)|imminent node shutdown"
        r"|node \S+ .{0,60}(?:unresponsive|not ready|no longer exists)",
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
