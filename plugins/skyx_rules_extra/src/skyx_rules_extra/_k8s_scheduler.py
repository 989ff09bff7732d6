"""Error rules: kubernetes, where pods find no node."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import BUSY, CAPACITY, CONFIG, MINUTE, NOT_FOUND, REGION, TRANSIENT, TYPE, UNSUPPORTED, Rows

_SCHEDULER = Rows("kubernetes", "kube-scheduler filter plugins and their reasons, read 2026-11-30")
_GPU = r"\S*(?:gpu|tpu|neuron|gaudi|\bmig-)\S*"
_AWAY = (
    r"node\.kubernetes\.io/(?:not-ready|unreachable|\w+-pressure|network-unavailable|unschedulable|out-of-service)"
    r"|node\.cloudprovider\.kubernetes\.io/\w+|ToBeDeleted\w*|DeletionCandidate\w*|karpenter\.sh/(?:disrupt\w+"
    r"|unregistered)"
    r"|[^}{:]*agent-not-ready"
)

_CONTROL = r"node-role\.kubernetes\.io/(?:control-plane|master|etcd)"
_AFFINITY = r"didn.t match Pod.s node affinity|node\(?s?\)? didn.t match (?:pod.s )?node (?:affinity|selector)"

_AFFINITY += r"|MatchNodeSelector|didn.t satisfy.{0,200}NodeAffinity"

_TYPE_NOW = "what the pod asks for is taken in {region}; wait, ask for less or use another context"

SCHEDULER: tuple[ErrorRule, ...] = (
    _SCHEDULER.again(
        "scheduling.unfinished",
        TRANSIENT,
        TYPE,
        BUSY,
        message=r"skip schedule deleting pod|running PreBind plugin|PersistentVolumeClaim is being deleted"
        r"|waiting for ephemeral volume controller",
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
        message=rf"^(?=.*taints? \{{[^}}{{]*(?:gpu|tpu|nvidia|accelerator))(?=.*Insufficient {_GPU})",
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
        message=r"unbound immediate PersistentVolumeClaim|available persistent volumes to bind"
        r"|volume(?:.s)? node affinity"
        r"|volume node zone"
        r"|no available volume zone|bound to non-?existent persistentvolume",
        hint="a volume claim of {region} is not bound where nodes are; check storage class, provisioner and zone",
    ),
    _SCHEDULER.block(
        "scheduling.nodes-away-some",
        CAPACITY,
        TYPE,
        message=rf"^(?=.*(?:taints? \{{(?:{_AWAY})|were unschedulable|were not ?ready))(?=.*(?:{_AFFINITY}"
        rf"|taints? \{{(?!{_AWAY}|{_CONTROL})))",
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
        message=rf"taints? \{{(?!{_CONTROL})(?P<taint>[^}}{{]+)\}}|had taints? that the pod didn.t tolerate",
        hint="the nodes of {region} have a taint that the pod does not tolerate; add a toleration",
    ),
    _SCHEDULER.block(
        "scheduling.no-such-node",
        UNSUPPORTED,
        TYPE,
        message=_AFFINITY,
        hint="no node of {region} has the labels asked for (accelerator, zone, pool); check them or use another "
        "context",
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
        message=r"anti-?affinity|topology spread|free ports|cannot allocate all claims|inter-pod affinity"
        r"|pod affinity rules",
        hint=_TYPE_NOW,
    ),
    _SCHEDULER.block("scheduling.failed", CAPACITY, TYPE, code=r"FailedScheduling|Unschedulable", hint=_TYPE_NOW),
    _SCHEDULER.block(
        "scheduling.failed-told",
        CAPACITY,
        TYPE,
        message=r"\d+/\d+ nodes are available|timed out while waiting for (?:nodes|pods) to (?:start|be scheduled"
        r"|schedule)",
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
