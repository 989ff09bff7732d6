"""Error rules: kubernetes."""

from __future__ import annotations

from skyx_core.api import RuleTable
from skyx_rules_extra._k8s_api import ADMISSION, API, CLIENT
from skyx_rules_extra._k8s_pods import CONTAINERS, IMAGES, NODES, VOLUMES
from skyx_rules_extra._k8s_scheduling import AUTOSCALER, KARPENTER, QUEUES, SCHEDULER

TABLE = RuleTable(
    rules=(
        *AUTOSCALER,
        *IMAGES,
        *VOLUMES,
        *CONTAINERS,
        *ADMISSION,
        *QUEUES,
        *KARPENTER,
        *SCHEDULER,
        *NODES,
        *CLIENT,
        *API,
    )
)
