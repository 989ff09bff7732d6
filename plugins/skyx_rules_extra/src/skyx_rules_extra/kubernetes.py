"""Error rules: kubernetes. A context is a region; nothing here touches another context."""

from __future__ import annotations

from skyx_core.api import RuleTable
from skyx_rules_extra._k8s_admission import ADMISSION
from skyx_rules_extra._k8s_api import API
from skyx_rules_extra._k8s_autoscaling import AUTOSCALER, KARPENTER, QUEUES
from skyx_rules_extra._k8s_client import CLIENT
from skyx_rules_extra._k8s_images import CONTAINERS, IMAGES
from skyx_rules_extra._k8s_nodes import NODES
from skyx_rules_extra._k8s_scheduler import SCHEDULER
from skyx_rules_extra._k8s_volumes import VOLUMES

_ROWS = (
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
_WRAPPERS = r"ApiException|KubernetesError|.*(?:Runtime|Value|Client)Error|ERROR"

TABLE = RuleTable(rules=_ROWS, code_in_text=True, wrappers=(_WRAPPERS,))
