"""What AWS's errors mean. Codes decide; texts only where a code has several meanings, or where there is none."""

from __future__ import annotations

from skyx_core.api import RuleTable
from skyx_rules_extra.aws_access import ACCESS, ACCESS_TEXTS
from skyx_rules_extra.aws_capacity import CAPACITY, CAPACITY_TEXTS, QUOTAS
from skyx_rules_extra.aws_codes import raised
from skyx_rules_extra.aws_requests import NOT_FOUND, REQUEST_TEXTS, UNSUPPORTED
from skyx_rules_extra.aws_service import FAULT_TEXTS, FAULTS, NOT_YET, RATES
from skyx_rules_extra.aws_setup import SETUP, SETUP_TEXTS
from skyx_rules_extra.aws_user import USER_ERRORS

_BY_CODE = (
    *RATES,
    *CAPACITY,
    *QUOTAS,
    *ACCESS,
    *SETUP,
    *NOT_YET,
    *UNSUPPORTED,
    *NOT_FOUND,
    *USER_ERRORS,
    *FAULTS,
)

TABLE = RuleTable(
    rules=(
        *_BY_CODE,
        *CAPACITY_TEXTS,
        *REQUEST_TEXTS,
        *SETUP_TEXTS,
        *ACCESS_TEXTS,
        *FAULT_TEXTS,
    ),
    code_in_text=True,
    wrappers=(
        raised("ClientError", "WaiterError", "BotoCoreError", "RuntimeError", "Exception"),
        "Failed|LaunchFailed",
    ),
)
