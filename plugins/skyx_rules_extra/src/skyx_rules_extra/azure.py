"""Error rules: azure."""

from __future__ import annotations

from skyx_core.api import RuleTable
from skyx_rules_extra._azure_access import ACCESS
from skyx_rules_extra._azure_capacity import QUOTAS, STOCK
from skyx_rules_extra._azure_requests import REQUESTS, SIZES
from skyx_rules_extra._rows import in_text

_ROWS = (*STOCK, *QUOTAS, *SIZES, *ACCESS, *REQUESTS)
_CARRIERS = (
    r"HttpResponseError|CloudError|ResourceNotFoundError|ResourceExistsError|ResourceModifiedError|ODataV4Error|ERROR"
)

TABLE = RuleTable(
    rules=in_text(_ROWS, _CARRIERS),
    summaries=(
        "DeploymentFailed",
        "ResourceDeploymentFailure",
        "InvalidTemplateDeployment",
        "MultipleErrorsOccurred",
        "Failed",
        "Conflict",
        "ProvisioningState.*",
    ),
)
