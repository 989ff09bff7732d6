"""What Google Cloud's errors mean.

Rate limits come before quotas (they say "quota" too), and what a text tells before the codes that stand beside many
causes (``forbidden``, ``PERMISSION_DENIED``, ``invalid``, the numbers of TPU calls).
"""

from __future__ import annotations

from skyx_core.api import RuleTable
from skyx_rules_extra.gcp_access import AUTHENTICATION, FORBIDDEN, PERMISSIONS
from skyx_rules_extra.gcp_capacity import CAPACITY, CAPACITY_TEXTS, RESERVATIONS
from skyx_rules_extra.gcp_codes import raised
from skyx_rules_extra.gcp_quota import QUOTAS, RATES
from skyx_rules_extra.gcp_requests import DISK_SIZES, NOT_FOUND, UNSUPPORTED, USER_ERRORS
from skyx_rules_extra.gcp_service import FAULTS, LAST, NOT_YET, TPUS, UNREACHABLE
from skyx_rules_extra.gcp_setup import SETUP

_RULES = (
    *RATES,
    *CAPACITY,
    *QUOTAS,
    *UNREACHABLE,
    *AUTHENTICATION,
    *RESERVATIONS,
    *SETUP,
    *PERMISSIONS,
    *DISK_SIZES,
    *NOT_YET,
    *CAPACITY_TEXTS,
    *UNSUPPORTED,
    *NOT_FOUND,
    *TPUS,
    *FAULTS,
    *USER_ERRORS,
    *FORBIDDEN,
)

TABLE = RuleTable(
    rules=(*_RULES, *LAST),
    code_in_text=True,
    wrappers=(
        raised(
            "HttpError", "GoogleAPI(?:Call)?Error", "GoogleAPICallError", "RuntimeError", "Exception", "ClientError"
        ),
    ),
    place_keys=("zonesAvailable", "zones_available"),
    summaries=(r"\w*_MIN_COUNT_NOT_REACHED", "PERMISSION_DENIED|forbidden"),
)
