"""AWS: who asks, and what they may do."""

from __future__ import annotations

from functools import partial

from skyx_core.api import Category, ErrorRule, Scope
from skyx_rules_extra.aws_codes import BOTOCORE, COMMON, EC2, OPT_IN_REGIONS, STATE_REASON, codes, raised

_auth = partial(ErrorRule, category=Category.AUTH, block=Scope.CLOUD, source=COMMON)
_denied = partial(ErrorRule, category=Category.PERMISSION, block=Scope.CLOUD, source=EC2)

_DENIED = codes(
    "UnauthorizedOperation",
    "AccessDenied(?:Exception|Fault)?",
    "UnauthorizedAccess",
    "NotAuthorized(?:Exception)?",
    "UnauthorizedException",
    "AuthorizationError(?:Exception)?",
)
_POLICY = r"(?:service|resource) control polic"
_SPOT_RIGHT = r"ec2:RequestSpot|spot\.amazonaws\.com|EC2 spot instances|AWSServiceRoleForEC2Spot"
_SPOT_ROLE_HINT = (
    "only spot is shut: let an administrator run 'aws iam create-service-linked-role --aws-service-name "
    "spot.amazonaws.com'"
)

ACCESS = (
    _denied(
        id="aws.permission.spot-role",
        code=codes(r"AuthFailure\.ServiceLinkedRole\w*"),
        block=Scope.SPOT,
        account_wide=True,
        hint=_SPOT_ROLE_HINT,
        source="EC2 user guide, service-linked role for spot, docs.aws.amazon.com/AWSEC2, read 2026-11-30",
    ),
    ErrorRule(
        id="aws.not-found.image-not-shared",
        code=codes("AuthFailure"),
        message=r"not authorized for images?\b|\bimages?\b.{0,40}not (?:shared|authorized)",
        category=Category.NOT_FOUND,
        block=Scope.REGION,
        hint="the image isn't shared with this account in {region}; share it or use another",
        source=EC2,
    ),
    ErrorRule(
        id="aws.config.region-off",
        category=Category.CONFIG,
        block=Scope.REGION,
        code=codes("AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException", "InvalidToken"),
        region=OPT_IN_REGIONS,
        hint="{region} must be switched on for the account first ('aws account enable-region --region-name {region}')",
        source="account guide, regions to opt in to, docs.aws.amazon.com, read 2026-11-30",
    ),
    _auth(
        id="aws.auth.expired",
        code=codes("ExpiredToken(?:Exception)?", "TokenRefreshRequired", "ExpiredTokenId", "CredentialsExpired"),
        hint="the AWS session has expired; log in again ('aws sso login', or renew the keys)",
    ),
    _auth(
        id="aws.auth.request-expired",
        code=codes("RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture"),
        hint="AWS takes the request for old: the session has expired, or this machine's clock is wrong (check NTP)",
    ),
    _auth(
        id="aws.auth.signature",
        code=codes("SignatureDoesNotMatch", "InvalidSignature(?:Exception)?", "IncompleteSignature(?:Exception)?"),
        hint="the AWS secret key is wrong, or this machine's clock is off by minutes",
    ),
    _auth(
        id="aws.auth.rejected",
        code=codes(
            "AuthFailure",
            "InvalidClientTokenId",
            "InvalidAccessKeyId",
            "UnrecognizedClientException",
            "InvalidToken",
            "InvalidSecurityToken",
            "MissingAuthenticationToken(?:Exception)?",
            "MissingSecurityHeader",
            "InvalidIdentityToken(?:Exception)?",
            "IDPRejectedClaim(?:Exception)?",
            "UnrecognizedPublicKeyException",
            "InvalidUserID.NotFound",
        ),
        hint="AWS rejects the credentials; 'aws sts get-caller-identity' shows which are used",
    ),
    _auth(
        id="aws.auth.sso",
        code=raised(
            "TokenRetrievalError",
            "UnauthorizedSSOTokenError",
            "SSO(?:TokenLoad)?Error",
            "PendingAuthorizationExpiredError",
            "Login(?:RefreshRequired|TokenLoadError)",
        ),
        hint="the SSO session has ended; run 'aws sso login'",
        source=BOTOCORE,
    ),
    _auth(
        id="aws.auth.missing",
        code=raised(
            "(?:No|Partial)CredentialsError",
            "CredentialRetrievalError",
            "ProfileNotFound",
            "NoAuthTokenError",
            "MetadataRetrievalError",
            "InvalidConfigError",
            "Config(?:ParseError|NotFound)",
            "RefreshWithMFAUnsupportedError",
        ),
        hint="no usable AWS credentials; run 'aws configure' or set AWS_PROFILE",
        source=BOTOCORE,
    ),
    _denied(
        id="aws.permission.control-policy",
        code=_DENIED,
        message=_POLICY,
        block=Scope.REGION,
        hint="an organisation policy denies this in {region}; use another region, or ask who runs the organisation",
        source="Organizations user guide, service control policies, docs.aws.amazon.com, read 2026-11-30",
    ),
    _denied(
        id="aws.permission.spot",
        code=_DENIED,
        message=_SPOT_RIGHT,
        block=Scope.SPOT,
        account_wide=True,
        hint=_SPOT_ROLE_HINT,
    ),
    _denied(
        id="aws.permission.action",
        code=_DENIED,
        message=r"not authorized to perform:? (?P<action>[\w-]+:\w+)",
        hint="grant {action} to the identity that skyx uses",
    ),
    _denied(
        id="aws.permission.denied",
        code=_DENIED,
        hint="the identity lacks a right; 'aws sts decode-authorization-message' tells which",
    ),
    _denied(
        id="aws.permission.key",
        code=r"Client\.InternalError",
        block=Scope.REGION,
        hint="the instance ended at its start: most often the key that encrypts its disk may not be used; check the "
        "KMS key of {region}",
        source=STATE_REASON,
    ),
    _denied(
        id="aws.permission.operation",
        code=codes("OperationNotPermitted"),
        hint="AWS does not permit this operation to the account",
    ),
)

ACCESS_TEXTS = (
    _auth(
        id="aws.auth.missing-told",
        message=r"unable to locate credentials|could ?n[o']t find (?:aws )?credentials|partial credentials found"
        r"|no valid credential sources|profile \(?\S+\)? could not be found",
        hint="no usable AWS credentials; run 'aws configure' or set AWS_PROFILE",
        source=BOTOCORE,
    ),
    _auth(
        id="aws.auth.expired-told",
        message=r"sso (?:session|token).{0,80}(?:expired|invalid)|token has expired|security token .{0,40}is expired"
        r"|error (?:loading|when retrieving) (?:sso )?token",
        hint="the AWS session has ended; run 'aws sso login'",
        source=BOTOCORE,
    ),
    _auth(
        id="aws.auth.rejected-told",
        message=r"security token .{0,40}is invalid|not able to validate the provided access credentials",
        hint="AWS rejects the credentials; 'aws sts get-caller-identity' shows which are used",
    ),
    _denied(
        id="aws.permission.control-policy-told",
        message=rf"explicit deny in an? {_POLICY}",
        block=Scope.REGION,
        hint="an organisation policy denies this in {region}; use another region",
    ),
    _denied(
        id="aws.permission.told",
        message=r"is not authorized to perform:? (?P<action>[\w-]+:\w+)",
        hint="grant {action} to the identity that skyx uses",
    ),
)
