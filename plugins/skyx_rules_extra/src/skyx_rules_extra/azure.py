"""Error rules: azure."""

from __future__ import annotations

from skyx_core.api import RuleTable
from skyx_rules_extra._azure_access import ACCESS
from skyx_rules_extra._azure_capacity import QUOTAS, STOCK
from skyx_rules_extra._azure_requests import REQUESTS, SIZES

_WRAPPERS = (
    r"HttpResponseError|CloudError|ResourceNotFoundError|ResourceExistsError|ResourceModifiedError|ODataV4Error|ERROR"
)

TABLE = RuleTable(
    rules=(*STOCK, *QUOTAS, *SIZES, *ACCESS, *REQUESTS),
    code_in_text=True,
    wrappers=(_WRAPPERS,),
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
