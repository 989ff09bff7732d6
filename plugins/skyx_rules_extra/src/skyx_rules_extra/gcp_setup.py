"""Google Cloud: how the project and its networks are set up."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.gcp_codes import AUTOSCALER, COMPUTE, REFERENCE, RPC

_setup = partial(ErrorRule, category=Category.CONFIG, block=Scope.CLOUD, source=COMPUTE)
_ENABLE = "'gcloud services enable compute.googleapis.com' (or tpu.googleapis.com), then wait a few minutes"

SETUP = (
    _setup(
        id="gcp.config.api-off",
        code=r"accessNotConfigured|SERVICE_DISABLED|serviceDisabled|SERVICE_NOT_ENABLED|API_DISABLED|SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED",
        hint=_ENABLE,
    ),
    _setup(
        id="gcp.config.api-off-told",
        message=r"\bapi has not been used in project|\bapi .{0,60}(?:is disabled|is not enabled|has not been enabled)",
        hint=_ENABLE,
    ),
    _setup(
        id="gcp.config.billing",
        code=r"UREQ_PROJECT_BILLING_\w+|BILLING_\w+|PROJECT_BILLING_\w+|billingNotEnabled|billingDisabled|billingNotActive|accountDisabled",
        hint="link a billing account to the project, or repair it",
        source=RPC,
    ),
    _setup(
        id="gcp.config.billing-told",
        message=r"billing (?:account|must be|to be|is|has|not|disabled).{0,80}"
        r"(?:not found|enabled|disabled|closed|delinquent|not active|absent)|requires billing",
        hint="link a billing account to the project, or repair it",
        source=RPC,
    ),
    _setup(
        id="gcp.config.project-code",
        code=r"PROJECT_NOT_FOUND|projectNotFound|CONSUMER_INVALID|CONSUMER_SUSPENDED|USER_PROJECT_DENIED|RESOURCE_PROJECT_INVALID|PROJECT_SUSPENDED|projectSuspended",
        hint="the project does not exist, is shut or is not visible; set it with 'gcloud config set project'",
        source=RPC,
    ),
    _setup(
        id="gcp.config.project",
        message=r"the resource 'projects/[^/']+' was not found|unknown project|failed to find project"
        r"|(?:project|consumer).{0,60}(?:been deleted|(?:is|been) suspended)"
        r"|(?:project|consumer).{0,60}(?:pending deletion|(?:marked|scheduled) for deletion|shut down)",
        hint="the project does not exist, is shut or is not visible; set it with 'gcloud config set project'",
    ),
    _setup(
        id="gcp.config.terms",
        code=r"REQUIRED_TOS_AGREEMENT|TOS_NOT_ACCEPTED|termsOfServiceNotAccepted",
        hint="accept Google Cloud's terms of service for the project first",
        source=RPC,
    ),
    _setup(
        id="gcp.config.disk-elsewhere",
        message=r"not the same as disk zone|\bdisk\b.{0,80}(?:(?:in|from) (?:a|an)?other|different) zone"
        r"|must be in the same zone",
        block=Scope.ZONE,
        hint="the disk lies in another zone than {zone}; launch where it is",
    ),
    _setup(
        id="gcp.config.network",
        code=r"VPC_NOT_FOUND|NETWORK_NOT_FOUND",
        hint="the VPC does not exist in the project (VPCs are global); correct the settings",
        source=REFERENCE,
    ),
    _setup(
        id="gcp.config.subnet",
        code=r"SUBNET_NOT_FOUND_FOR_VPC|SUBNETWORK_NOT_FOUND|SUBNET_NOT_FOUND",
        block=Scope.REGION,
        hint="the VPC has no subnet in {region}; create one, or leave the region out",
        source=REFERENCE,
    ),
    _setup(
        id="gcp.config.subnet-told",
        message=r"no subnet(?:work)?s?\b.{0,60}(?:found|exist)|must specify a subnet",
        block=Scope.REGION,
        hint="the VPC has no subnet in {region}; create one, name one, or leave the region out",
    ),
    _setup(
        id="gcp.config.addresses",
        code=r"\w*IP_\w*EXHAUSTED\w*|ipSpaceExhausted",
        block=Scope.REGION,
        ttl=600,
        hint="the subnet in {region} has no free addresses (subnets are regional); expand its range",
        source=AUTOSCALER,
    ),
    _setup(
        id="gcp.config.addresses-told",
        message=r"\bip space of .{1,200}exhausted|no (?:free|available|more) (?:internal )?ip addresses",
        block=Scope.REGION,
        ttl=600,
        hint="the subnet in {region} has no free addresses (subnets are regional); expand its range",
        source=AUTOSCALER,
    ),
    _setup(
        id="gcp.config.shared-vpc",
        message=r"shared vpc|xpn|host project.{0,60}(?:not|disabled|denied)",
        hint="the shared VPC is not usable from this project; attach it, or name another",
    ),
    _setup(
        id="gcp.config.key",
        message=r"cloud ?kms|cryptokeys?/|kmskey",
        block=Scope.REGION,
        hint="the KMS key for disks can't be used; grant it to the Compute Engine service agent",
    ),
)
