"""Google Cloud: who asks, and what they may do."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.gcp_codes import AUTH, COMPUTE, IAM, REFERENCE, RPC, raised

_auth = partial(ErrorRule, category=Category.AUTH, block=Scope.CLOUD, source=AUTH)
_denied = partial(ErrorRule, category=Category.PERMISSION, block=Scope.CLOUD, source=IAM)

_FORBIDDEN = "forbidden|PERMISSION_DENIED|7|PERMISSIONS_ERROR|403|" + raised("Forbidden", "PermissionDenied")

AUTHENTICATION = (
    _auth(
        id="gcp.auth.missing",
        code=r"(?:google\.auth\.exceptions\.)?DefaultCredentialsError|CREDENTIALS_MISSING",
        hint="no Google credentials found; run 'gcloud auth application-default login'",
    ),
    _auth(
        id="gcp.auth.ended",
        code=r"(?:google\.auth\.exceptions\.)?RefreshError|(?:google\.auth\.exceptions\.)?Reauth\w+Error"
        r"|ACCESS_TOKEN_EXPIRED|SESSION_COOKIE_EXPIRED|invalid_grant|invalid_client",
        hint="the Google login was revoked or has expired; run 'gcloud auth application-default login'",
    ),
    _auth(
        id="gcp.auth.other",
        code=r"google\.auth\.exceptions\.\w+",
        hint="the Google credentials can't be used; run 'gcloud auth application-default login'",
    ),
    _auth(
        id="gcp.auth.rejected",
        code=r"authError|UNAUTHENTICATED|16|unauthorized|invalidCredentials|expired|ACCOUNT_STATE_INVALID"
        r"|ACCESS_TOKEN_TYPE_UNSUPPORTED|API_KEY_INVALID|API_KEY_SERVICE_BLOCKED|USER_BLOCKED_BY_ADMIN|"
        + raised("Unauthenticated", "Unauthorized"),
        hint="Google rejects the login; run 'gcloud auth application-default login'",
        source=RPC,
    ),
    _auth(
        id="gcp.auth.told",
        message=r"reauthenticat|invalid_grant|token has been expired or revoked|login required"
        r"|default credentials were not found|could not automatically determine credentials"
        r"|invalid authentication credentials",
        hint="log in to Google again: 'gcloud auth application-default login'",
    ),
)

PERMISSIONS = (
    _denied(
        id="gcp.permission.location-policy",
        message=r"gcp\.resourcelocations|location.{0,60}(?:violates|not allowed by).{0,60}polic",
        block=Scope.REGION,
        hint="an organisation policy shuts {region}; use another region",
    ),
    _denied(
        id="gcp.permission.location-code",
        code="LOCATION_ORG_POLICY_VIOLATED",
        block=Scope.REGION,
        hint="an organisation policy shuts {region}; use another region",
    ),
    _denied(
        id="gcp.permission.external-address",
        message=r"compute\.vmexternalipaccess",
        hint="an organisation policy forbids public addresses; set use_internal_ips, or ask who runs the organisation",
    ),
    _denied(
        id="gcp.permission.custom-constraint",
        message=r"customconstraints/|custom org(?:anization)? polic",
        block=Scope.INSTANCE_TYPE_IN_REGION,
        hint="a rule of the organisation forbids this request; ask who runs the organisation",
    ),
    _denied(
        id="gcp.permission.constraint",
        message=r"\bconstraints?/(?:compute|iam|gcp|storage)\.\w+|violates? constraint|constraint .{0,80}violated",
        hint="an organisation policy forbids this; ask who runs the organisation",
    ),
    _denied(
        id="gcp.permission.perimeter",
        message=r"prohibited by organization'?s policy|vpcservicecontrols",
        hint="VPC Service Controls forbid this call from here",
    ),
    _denied(
        id="gcp.permission.perimeter-code",
        code=r"SECURITY_POLICY_VIOLATED|ORG_RESTRICTION_VIOLATION|ORG_POLICY_VIOLATION|orgPolicyViolation",
        hint="a policy of the organisation forbids this call",
    ),
    _denied(
        id="gcp.permission.service-account",
        message=r"(?:access to|act as|actas).{0,40}service account|serviceaccountuser|serviceaccounts\.actas",
        hint="grant roles/iam.serviceAccountUser on the nodes' service account to who launches",
    ),
    _denied(
        id="gcp.permission.service-account-code",
        code=r"SERVICE_ACCOUNT_ACCESS_DENIED|SERVICE_ACCOUNT_\w*DENIED",
        hint="grant roles/iam.serviceAccountUser on the nodes' service account to who launches",
    ),
    _denied(
        id="gcp.permission.scopes",
        message=r"insufficient authentication scopes",
        hint="the credentials' scopes are too narrow; log in with cloud-platform",
        source=RPC,
    ),
    _denied(
        id="gcp.permission.named",
        message=r"(?:required |permission )'?(?P<right>[a-z]+(?:\.[a-z]+){2,})'?.{0,20}(?:permission|denied|for)",
        hint="grant {right} to the identity that skyx uses",
    ),
    _denied(
        id="gcp.permission.iam-policy",
        message=r"policy update access denied",
        hint="the user may not change the project's IAM policy; let an administrator set up the service account",
        source=REFERENCE,
    ),
    _denied(
        id="gcp.permission.code",
        code=r"IAM_PERMISSION_DENIED|insufficientPermissions|ACCESS_TOKEN_SCOPE_INSUFFICIENT|accessDenied|ACCESS_DENIED",
        hint="the identity lacks a right in the project; see 'gcloud projects get-iam-policy'",
        source=RPC,
    ),
)

FORBIDDEN = (  # last: these codes stand beside many other causes
    _denied(
        id="gcp.permission.forbidden",
        code=_FORBIDDEN,
        hint="the identity lacks a right in the project; see 'gcloud projects get-iam-policy'",
        source=COMPUTE,
    ),
)
