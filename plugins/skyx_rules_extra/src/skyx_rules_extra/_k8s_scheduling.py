"""Error rules: kubernetes, where pods find no node. A context is a region; nothing here touches another context."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    ARRIVING,
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
    UNSUPPORTED,
    Rows,
)

_CA = Rows("kubernetes", "cluster-autoscaler FAQ and GKE autoscaler visibility events, read 2026-11-30")
_KARPENTER = Rows("kubernetes", "Karpenter troubleshooting pages and events, read 2026-11-30")
_KUEUE = Rows("kubernetes", "Kueue concepts: workload conditions, read 2026-11-30")
_SCHEDULER = Rows("kubernetes", "kube-scheduler filter plugins and their reasons, read 2026-11-30")

_NOT = r"NotTriggerScaleUp|no\.scale\.up.*"
_FAILED = r"FailedScaleUp|scale\.up\.error.*|FailedToScaleUpGroup|ScaleUpTimedOut"
_GPU = r"\S*(?:gpu|tpu|neuron|gaudi|\bmig-)\S*"
_OUT = (
    r"out[ _.]?of[ _.]?(?:resources|stock|capacity|host)|stock ?out|RESOURCE_POOL_EXHAUSTED|insufficient\S* ?\S*capacity"
    r"|not enough (?:resources|capacity)|does not have enough resources|AllocationFailed|SkuNotAvailable"
)
_AWAY = (
    r"node\.kubernetes\.io/(?:not-ready|unreachable|\w+-pressure|network-unavailable|unschedulable|out-of-service)"
    r"|node\.cloudprovider\.kubernetes\.io/\w+|ToBeDeleted\w*|DeletionCandidate\w*|karpenter\.sh/(?:disrupt\w+|unregistered)"
    r"|[^}:]*agent-not-ready"
)
_CONTROL = r"node-role\.kubernetes\.io/(?:control-plane|master|etcd)"
_AFFINITY = r"didn.t match Pod.s node affinity|node\(?s?\)? didn.t match (?:pod.s )?node (?:affinity|selector)"
_AFFINITY += r"|MatchNodeSelector|didn.t satisfy.*NodeAffinity"

AUTOSCALER: tuple[ErrorRule, ...] = (
    _CA.again(
        "scale-up-triggered",
        TRANSIENT,
        TYPE,
        ARRIVING,
        code=r"TriggeredScaleUp|scale\.up",
        hint="a new node is being added in {region}; it is waited for",
    ),
    _CA.block(
        "no-scale-up.backoff",
        CAPACITY,
        TYPE,
        code=_NOT,
        message=r"backoff|back-off",
        hint="the fitting node group of {region} could not grow lately and pauses; it is tried again in minutes",
    ),
    _CA.block(
        "no-scale-up.full",
        QUOTA,
        TYPE,
        code=_NOT,
        message=r"max\S* (?:node )?(?:group )?(?:pool )?(?:size|limit)[^,]*reached|max(?:imum)? cluster|max\S* limit|(?:cpu|memory) limit",
        hint="the node group that fits is at its largest size in {region}; raise its maximum",
    ),
    _CA.block(
        "no-scale-up.not-ready",
        CAPACITY,
        TYPE,
        code=_NOT,
        message=r"not ready|unhealthy|being deleted",
        hint="the fitting node group of {region} is not ready",
    ),
    _CA.block(
        "no-scale-up.never-fits",
        UNSUPPORTED,
        TYPE,
        code=_NOT,
        hint="no node group of {region} would fit, not even with a new node; create one or ask for less",
    ),
    _CA.block(
        "scale-up-failed.quota",
        QUOTA,
        TYPE,
        code=_FAILED,
        message=r"quota|limit ?exceeded|(?:vcpu|instance) limit",
        hint="a quota of the account behind {region} is used up; request more there",
    ),
    _CA.block(
        "scale-up-failed.addresses",
        CONFIG,
        REGION,
        code=_FAILED,
        message=r"ip[ _.]?(?:space|address|range)\S*[ _.]?(?:is |are )?(?:exhausted|full)|(?:free|enough) (?:ip )?addresses|IP_SPACE",
        ttl=HOUR,
        hint="the node or pod address range of {region} is full; add a range",
    ),
    _CA.block(
        "scale-up-failed.identity",
        PERMISSION,
        REGION,
        code=_FAILED,
        message=r"service.?account|permission|forbidden|unauthorized|access denied|not authorized",
        hint="the autoscaler of {region} lacks a right in its cloud account; ask the cluster's administrator",
    ),
    _CA.block(
        "scale-up-failed.stock", CAPACITY, TYPE, code=_FAILED, hint="the cloud behind {region} has no such machine now"
    ),
    _CA.block(
        "scale-up-failed.stock-told",
        CAPACITY,
        TYPE,
        message=rf"scale.?up.{{0,200}}(?:{_OUT})",
        hint="the cloud behind {region} has no such machine now",
    ),
)

KARPENTER: tuple[ErrorRule, ...] = (
    _KARPENTER.again(
        "nominated",
        TRANSIENT,
        TYPE,
        ARRIVING,
        code=r"Nominated|NodeClaimCreated|Launched|WaitingOnNode\w*|Provisioning",
        hint="a node is on its way for this pod; it is waited for",
    ),
    _KARPENTER.block(
        "nodepool.limits",
        QUOTA,
        TYPE,
        message=r"exceeds? limits for nodepool|nodepool\S* .{0,60}limits? (?:is |are |has been )?(?:exceeded|reached)",
        hint="the node pool's limits in {region} are reached; raise spec.limits",
    ),
    _KARPENTER.block(
        "nodepool.stock",
        CAPACITY,
        TYPE,
        code=r"Insufficient\w*Capacity\w*",
        hint="the cloud behind {region} has no such machine now",
    ),
    _KARPENTER.block(
        "nodepool.stock-told",
        CAPACITY,
        TYPE,
        message=r"all requested instance types were unavailable|filtered out all (?:compatible )?available instance types",
        hint="the cloud behind {region} has no such machine now",
    ),
    _KARPENTER.block(
        "nodeclass.not-ready",
        CONFIG,
        REGION,
        message=r"no nodepools? found|node ?(?:class|pool)\S*.{0,40}not ready",
        code=r"FailedScheduling|NodePoolNotReady|NodeClassNotReady|",
        hint="Karpenter has no usable node pool in {region}",
    ),
    _KARPENTER.block(
        "nodepool.incompatible",
        UNSUPPORTED,
        TYPE,
        message=r"incompatible (?:with|requirements).{0,300}nodepool|no instance type (?:satisfied|met|has enough|which)|incompatible with nodepool",
        hint="no node pool of {region} may make such a node; adapt its requirements or ask for something else",
    ),
)

QUEUES: tuple[ErrorRule, ...] = (
    _KUEUE.again(
        "queue.gated",
        TRANSIENT,
        TYPE,
        ARRIVING,
        code=r"SchedulingGated|QuotaReserved|AdmissionCheck\w*|Suspended",
        hint="the pod waits in a queue (Kueue or the like) of {region}",
    ),
    _KUEUE.block(
        "queue.preempted",
        CAPACITY,
        TYPE,
        code=r"TerminationTarget|Preempted|Preempting|PreemptionByScheduler|PreemptionByKubeScheduler|EvictedDueTo\w*",
        hint="a workload of higher priority took the place in {region}",
    ),
    _KUEUE.block(
        "queue.preempted-told",
        CAPACITY,
        TYPE,
        message=r"preempted (?:to accommodate|in order to|by|due to)|preempting to",
        hint="a workload of higher priority took the place in {region}",
    ),
    _KUEUE.block(
        "queue.never",
        QUOTA,
        TYPE,
        message=r"insufficient quota .{0,80}(?:maximum capacity|request >)|exceeds? (?:the )?(?:nominal|maximum) (?:quota|capacity)",
        ttl=12 * HOUR,
        hint="the queue's quota in {region} is smaller than the request",
    ),
    _KUEUE.block(
        "queue.full",
        QUOTA,
        TYPE,
        message=r"couldn.t assign flavors|insufficient unused quota",
        hint="the queue's quota in {region} is in use",
    ),
    _KUEUE.block(
        "queue.missing",
        NOT_FOUND,
        REGION,
        message=r"(?:local|cluster) ?queue \S+ (?:doesn.t exist|not found|is inactive|is stopped)",
        hint="the queue is missing or stopped in {region}; fix its name in the labels",
    ),
)

_TYPE_NOW = "what the pod asks for is taken in {region}; wait, ask for less or use another context"

SCHEDULER: tuple[ErrorRule, ...] = (
    _SCHEDULER.again(
        "scheduling.unfinished",
        TRANSIENT,
        TYPE,
        BUSY,
        message=r"skip schedule deleting pod|running PreBind plugin|PersistentVolumeClaim is being deleted|waiting for ephemeral volume controller",
        hint="the scheduler of {region} is still at work on this pod",
    ),
    _SCHEDULER.block(
        "scheduling.fuse",
        CONFIG,
        REGION,
        message=r"Insufficient \S*fuse\b",
        ttl=10 * MINUTE,
        hint="the FUSE device plugin is not ready on the nodes of {region}",
    ),
    _SCHEDULER.block(
        "scheduling.accelerator-tainted",
        CONFIG,
        TYPE,
        message=rf"(?=.*taints? \{{[^}}]*(?:gpu|tpu|nvidia|accelerator))(?=.*Insufficient {_GPU})",
        hint="the accelerator nodes of {region} have a taint that the pod does not tolerate; add a toleration",
    ),
    _SCHEDULER.block(
        "scheduling.insufficient",
        CAPACITY,
        TYPE,
        code=r"(?!NotTrigger).*",
        message=r"Insufficient (?P<resource>[\w./-]*\w)",
        hint="{resource} is used up on the fitting nodes of {region}; wait, ask for less or use another context",
    ),
    _SCHEDULER.block(
        "scheduling.pods-per-node",
        CAPACITY,
        REGION,
        message=r"Too many pods",
        hint="all nodes of {region} hold as many pods as they may; add nodes",
    ),
    _SCHEDULER.block(
        "scheduling.volume-slots",
        CAPACITY,
        TYPE,
        message=r"exceeds? max volume count|too many volumes",
        hint="the nodes of {region} have no free volume slots; add nodes or use fewer volumes",
    ),
    _SCHEDULER.block(
        "scheduling.claim-missing",
        NOT_FOUND,
        REGION,
        message=r"(?:persistentvolumeclaim|resourceclaim\w*|deviceclass|resourceclass) \"?\S+ (?:is )?not found",
        hint="the volume or resource claim does not exist in {region}; create it",
    ),
    _SCHEDULER.block(
        "scheduling.storage-full",
        CAPACITY,
        REGION,
        message=r"did(?:n.t| not) have enough free storage",
        hint="the storage of {region} is full",
    ),
    _SCHEDULER.block(
        "scheduling.volume-unbound",
        CONFIG,
        REGION,
        message=r"unbound immediate PersistentVolumeClaim|available persistent volumes to bind|volume node affinity|volume node zone"
        r"|no available volume zone|bound to non-?existent persistentvolume",
        hint="a volume claim of {region} is not bound where nodes are; check storage class, provisioner and zone",
    ),
    _SCHEDULER.block(
        "scheduling.nodes-away-some",
        CAPACITY,
        TYPE,
        message=rf"(?=.*(?:taints? \{{(?:{_AWAY})|were unschedulable|were not ?ready))(?=.*(?:{_AFFINITY}|taints? \{{(?!{_AWAY}|{_CONTROL})))",
        hint="the fitting nodes of {region} are not ready or cordoned; see 'kubectl get nodes'",
    ),
    _SCHEDULER.block(
        "scheduling.nodes-away",
        CAPACITY,
        REGION,
        message=rf"taints? \{{(?:{_AWAY})|were unschedulable|were not ?ready|no nodes available|0/0 nodes",
        hint="no node of {region} takes pods now (cordoned, not ready or none there); see 'kubectl get nodes'",
    ),
    _SCHEDULER.block(
        "scheduling.tainted",
        CONFIG,
        TYPE,
        message=rf"taints? \{{(?!{_CONTROL})(?P<taint>[^}}]+)\}}|had taints? that the pod didn.t tolerate",
        hint="the nodes of {region} have a taint that the pod does not tolerate; add a toleration",
    ),
    _SCHEDULER.block(
        "scheduling.no-such-node",
        UNSUPPORTED,
        TYPE,
        message=_AFFINITY,
        hint="no node of {region} has the labels asked for (accelerator, zone, pool); check them or use another context",
    ),
    _SCHEDULER.block(
        "scheduling.only-control-plane",
        UNSUPPORTED,
        REGION,
        message=rf"taints? \{{{_CONTROL}",
        hint="{region} has only control plane nodes, which take no pods",
    ),
    _SCHEDULER.block(
        "scheduling.affinity-rules",
        CAPACITY,
        TYPE,
        message=r"anti-?affinity|topology spread|free ports|cannot allocate all claims|inter-pod affinity|pod affinity rules",
        hint=_TYPE_NOW,
    ),
    _SCHEDULER.block("scheduling.failed", CAPACITY, TYPE, code=r"FailedScheduling|Unschedulable", hint=_TYPE_NOW),
    _SCHEDULER.block(
        "scheduling.failed-told",
        CAPACITY,
        TYPE,
        message=r"\d+/\d+ nodes are available|timed out while waiting for (?:nodes|pods) to (?:start|be scheduled|schedule)",
        hint=_TYPE_NOW,
    ),
    _SCHEDULER.block(
        "scheduling.node-refused",
        CAPACITY,
        TYPE,
        code=r"OutOf\S+|UnexpectedAdmissionError|TopologyAffinityError",
        hint="another pod took the node's last free place in {region}",
    ),
)
