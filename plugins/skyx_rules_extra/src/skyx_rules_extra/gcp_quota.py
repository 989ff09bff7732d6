"""Google Cloud: limits of the project, and limits on how fast its API may be called (no quota to block, those)."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Retry, Scope
from skyx_rules_extra.gcp_codes import COMPUTE, QUOTA, REFERENCE, TERRAFORM, raised

_throttle = partial(
    ErrorRule,
    category=Category.RATE_LIMIT,
    retry=Retry(max=6, wait=5, growth=2),
    block_after=Scope.REGION,
    source=COMPUTE,
)
_quota = partial(ErrorRule, category=Category.QUOTA, block=Scope.INSTANCE_TYPE_IN_REGION, source=QUOTA)

_CODE = r"\w*QUOTA_EXCEEDED|quotaExceeded|QUOTA|type\.googleapis\.com/google\.rpc\.QuotaFailure|LIMIT_EXCEEDED"
_NAMED = r"\bquotas?\b.{0,120}?(?:['\"/]|metric:? |limit:? )"
_USED_UP = (
    r"\bquotas?\b.{0,200}?\b(?:exceeded|exhausted|reached|used up)\b|exceed.{0,80}\bquota\b(?! project)"
    r"|\b(?:insufficient|not enough|no) .{0,60}\bquota\b(?! project)"
)
_BUCKET = r"\bquota (?:limit |metric )?'(?P<bucket>[^']+)'"

RATES = (
    _throttle(
        id="gcp.rate.one-resource",
        code=r"RESOURCE_OPERATION_RATE_EXCEEDED|OPERATION_RATE_EXCEEDED|resourceOperationRateExceeded",
        block_after=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="too many nodes from one image or snapshot in a short time",
        source=REFERENCE,
    ),
    _throttle(
        id="gcp.rate.concurrent",
        code=r"CONCURRENT_OPERATIONS_QUOTA_EXCEEDED|concurrentOperationsQuotaExceeded|concurrentLimitExceeded",
        hint="too many operations run in the project at once; they end by themselves",
        source=TERRAFORM,
    ),
    _throttle(
        id="gcp.rate.api",
        code=r"rateLimitExceeded|userRateLimitExceeded|RATE_LIMIT_EXCEEDED|TOO_MANY_REQUESTS|tooManyRequests|"
        + raised("TooManyRequests"),
        hint="the project calls this API too often; fewer launches at once help",
    ),
    _throttle(
        id="gcp.rate.told",
        message=r"\b(?:quota|limit|exceeded|rate)\b.{0,300}\bper (?:minute|second|100 seconds)\b|rate limit exceeded"
        r"|concurrent\b.{0,40}\boperations?\b.{0,80}(?:quota|exceeded)|quota.{0,80}concurrent\b.{0,40}\boperations?\b",
        hint="the project calls this API too often; fewer launches at once help",
        source=TERRAFORM,
    ),
)

QUOTAS = (
    _quota(
        id="gcp.quota.gpus-everywhere",
        message=_NAMED + r"gpus[_-]all[_-]regions",
        block=Scope.ACCELERATOR,
        any_accelerator=True,
        hint="the project's quota of GPUs in all regions together is used up: raise 'GPUs (all regions)'",
    ),
    _quota(
        id="gcp.quota.cpus-everywhere",
        message=_NAMED + r"cpus[_-]all[_-]regions",
        block=Scope.CLOUD,
        hint="the project's quota of CPUs in all regions together is used up: raise 'CPUs (all regions)'",
    ),
    _quota(
        id="gcp.quota.spot",
        message=_NAMED + r"preemptible[_-](?:cpus|local[_-]ssd)",
        block=Scope.SPOT,
        hint="the spot quota of the project in {region} is used up: raise it, or use on-demand",
    ),
    _quota(
        id="gcp.quota.global",
        message=_NAMED + r"(?:networks|firewalls|routes|images|snapshots|instance_templates|security_policies"
        r"|instances_per_network_global)\b|\bquotas?\b.{0,200}?\bglobally\b",
        block=Scope.CLOUD,
        hint="a quota that the whole project shares is used up: delete what is unused, or raise it",
    ),
    _quota(
        id="gcp.quota.disks",
        message=_NAMED
        + r"(?:ssd_total_gb|disks_total_gb|local_ssd_total_gb(?!_per)|h\w*disk\w*|hd[a-z]_total\w*|\w*disks?_\w+)\b",
        block=Scope.REGION,
        hint="the disk quota of {region} is used up: use a smaller disk or another tier, or raise it",
    ),
    _quota(
        id="gcp.quota.region",
        message=_NAMED
        + r"\b(?:\w*addresses|instances|vm_instances|subnetworks|resource_policies|routers|networks_\w+)\b",
        block=Scope.REGION,
        hint="a quota of {region} that any machine draws on is used up: delete what is unused, or raise it",
    ),
    _quota(
        id="gcp.quota.trial",
        message=r"\bfree (?:trial|tier)\b",
        block=Scope.ACCELERATOR,
        any_accelerator=True,
        accelerators=True,
        hint="an account on trial gets no accelerators; upgrade it to a paid one",
    ),
    _quota(
        id="gcp.quota.tpu-zone",
        message=r"\bquota\b.{0,120}(?:per ?project ?per ?zone|\bin zone\b|\bper zone\b)",
        block=Scope.INSTANCE_TYPE_IN_ZONE,
        hint="the project's quota of this accelerator in {zone} is used up: raise it, or use another zone",
        source=REFERENCE,
    ),
    _quota(
        id="gcp.quota.named",
        code=_CODE,
        message=_BUCKET,
        hint="quota {bucket} of {region} is used up: raise it, or use a smaller machine or another region",
    ),
    _quota(
        id="gcp.quota.other",
        code=_CODE,
        hint="a quota of the project in {region} is used up: see 'gcloud compute regions describe {region}'",
    ),
    _quota(
        id="gcp.quota.told",
        message=_USED_UP,
        hint="a quota of the project in {region} is used up: see 'gcloud compute regions describe {region}'",
    ),
    _quota(
        id="gcp.quota.daily",
        code=r"dailyLimitExceeded|DAILY_LIMIT_EXCEEDED",
        block=Scope.CLOUD,
        hint="the project may not call this API any more today",
        source=COMPUTE,
    ),
)
