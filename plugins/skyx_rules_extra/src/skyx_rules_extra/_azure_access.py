"""Error rules: azure, who asks, what they may do, and how the subscription is set up."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import AUTH, BRIEF, CLOUD, CONFIG, NOT_FOUND, PERMISSION, REGION, TRANSIENT, TYPE, Rows

_LOGIN = Rows("azure", "learn.microsoft.com: Entra ID AADSTS codes; azure-identity exceptions, read 2026-11-30")
_ARM = Rows("azure", "learn.microsoft.com: common Azure Resource Manager deployment errors, read 2026-11-30")

_AZ = "run 'az login', or renew the service principal"

ACCESS: tuple[ErrorRule, ...] = (
    _LOGIN.block(
        "auth.login",
        AUTH,
        CLOUD,
        code=r"ClientAuthenticationError|CredentialUnavailableError|AuthenticationRequiredError|AADSTS\d+"
        r"|.*AuthenticationToken\w*|AuthenticationFailed\w*|Unauthorized"
        r"|invalid_(?:client|grant)|InvalidClientSecret\w*|InvalidAuthenticationInfo|TokenExpired|InteractionRequired"
        r"|AccountUnusable|CLIError",
        hint=_AZ,
    ),
    _LOGIN.block(
        "auth.login-told",
        AUTH,
        CLOUD,
        message=r"AADSTS\d{5,}|please run .?az login|refresh token .{0,40}(?:expired|invalid)|(?:access token"
        r"|client secret).{0,60}(?:expired|invalid)|DefaultAzureCredential failed",
        hint=_AZ,
    ),
    _LOGIN.block("auth.status", AUTH, CLOUD, status=401, hint=_AZ),
    _ARM.block(
        "policy.location",
        PERMISSION,
        REGION,
        code=r"RequestDisallowedByPolicy|PolicyViolation|RequestDisallowedByAzure",
        message=r"location|region",
        hint="a policy of the organisation forbids {region}; use an allowed one",
    ),
    _ARM.block(
        "policy.azure",
        PERMISSION,
        REGION,
        code="RequestDisallowedByAzure",
        hint="Azure does not let this subscription deploy in {region}; use another region",
    ),
    _ARM.block(
        "policy.size",
        PERMISSION,
        TYPE,
        code=r"RequestDisallowedByPolicy|PolicyViolation",
        message=r"\bSKUs?\b|\bsizes?\b|vmSize|machine type",
        hint="a policy of the organisation forbids {instance_type}; use an allowed size",
    ),
    _ARM.block(
        "policy.other",
        PERMISSION,
        CLOUD,
        code=r"RequestDisallowedByPolicy|PolicyViolation|DenyAssignment\w*",
        hint="a policy of the organisation forbids this machine; the message names it",
    ),
    _ARM.again(
        "right.fresh",
        TRANSIENT,
        CLOUD,
        BRIEF,
        code=r"PrincipalNotFound|RoleAssignmentNotReady",
        hint="a new identity is not known everywhere yet; tried again",
    ),
    _ARM.block(
        "right.missing",
        PERMISSION,
        CLOUD,
        code=r"AuthorizationFailed|LinkedAuthorizationFailed|LinkedAccessCheckFailed|.*AuthorizationFailed|Forbidden"
        r"|AccessDenied"
        r"|InsufficientPrivileges|Authorization_RequestDenied|KeyVaultAccessForbidden|InaccessibleImage"
        r"|InvalidApplicationPermission",
        hint="the identity lacks a right; grant Contributor (or Virtual Machine Contributor) on the resource group",
    ),
    _ARM.block(
        "right.missing-told",
        PERMISSION,
        CLOUD,
        message=r"does not have (?:authorization|permission)s? to perform",
        hint="the identity lacks a right; grant Contributor on the resource group",
    ),
    _ARM.block(
        "account.disabled",
        CONFIG,
        CLOUD,
        code=r".*DisabledSubscription|SubscriptionDisabled|SubscriptionNotActive|SubscriptionSuspended"
        r"|InactiveSubscription|.*BillingError|SpendingLimit\w*|PaymentRequired",
        hint="the subscription is disabled; enable it again (billing), or select another",
    ),
    _ARM.block(
        "account.disabled-told",
        CONFIG,
        CLOUD,
        message=r"subscription .{0,80}(?:is|was|has been) (?:disabled|suspended|cancell?ed|expired)|spending limit"
        r"|past due",
        hint="the subscription is disabled; enable it again (billing), or select another",
    ),
    _ARM.block(
        "account.provider",
        CONFIG,
        CLOUD,
        code="MissingSubscriptionRegistration|SubscriptionNotRegistered|MissingRegistrationForType|NotRegistered"
        "|ResourceProviderNotRegistered|FeatureNotRegistered|SubscriptionNotRegisteredForFeature|.*FeatureNotEnabled.*",
        message=r"(?:namespace|feature|provider) '?(?P<what>[\w./-]+\w)",
        hint="{what} is not switched on; run 'az provider register --namespace {what}' (or 'az feature register')",
    ),
    _ARM.block(
        "account.provider-other",
        CONFIG,
        CLOUD,
        code="MissingSubscriptionRegistration|SubscriptionNotRegistered\\w*|.*NotRegistered|.*FeatureNotEnabled.*",
        hint="a resource provider or feature is not switched on; run 'az provider register'",
    ),
    _ARM.block(
        "account.region-off",
        CONFIG,
        REGION,
        code="MissingRegistrationForLocation|NoRegisteredProviderFound|LocationNotAvailableForResourceType"
        "|LocationNotAvailableForResourceGroup|LocationNotSupported|InvalidLocation|LocationRequired",
        hint="{region} is not open for this kind of resource; use another region",
    ),
    _ARM.block(
        "account.elsewhere",
        CONFIG,
        REGION,
        code="InvalidResourceLocation|InvalidDeploymentLocation|ResourceGroupLocation\\w*",
        hint="a resource of that name is in another region already; use another name or that region",
    ),
    _ARM.block(
        "account.terms",
        CONFIG,
        CLOUD,
        code=r"MarketplacePurchaseEligibilityFailed|Marketplace\w+|ResourcePurchaseValidationFailed|ResourcePurchaseCanceling|VMMarketplaceInvalidInput"
        r"|PlanNotFound|.*TermsNotAccepted|PurchaseEligibility\w*",
        hint="the image needs its terms accepted; run 'az vm image terms accept'",
    ),
    _ARM.block(
        "account.lock",
        CONFIG,
        CLOUD,
        code="ScopeLocked|.*Locked",
        hint="a lock stops all writes there; remove it ('az lock list')",
    ),
    _ARM.block(
        "account.absent",
        CONFIG,
        CLOUD,
        code="SubscriptionNotFound|InvalidSubscriptionId|InvalidTenant\\w*|NoSubscriptionFound|TenantNotFound",
        hint="the subscription is unknown to this login; run 'az account set'",
    ),
    _ARM.block(
        "absent.group",
        NOT_FOUND,
        CLOUD,
        code="ResourceGroupNotFound",
        hint="the resource group does not exist; fix the configuration",
    ),
    _ARM.block(
        "absent.image",
        NOT_FOUND,
        REGION,
        code=r".*Image\w*NotFound|PlatformImageNotFound|GalleryImage\w*|ImageNotFound|InvalidImageReference"
        r"|.*ImageVersion\w*",
        hint="the image does not exist in {region}; check its name, or copy it there",
    ),
    _ARM.block(
        "absent.image-told",
        NOT_FOUND,
        REGION,
        message=r"image .{0,200}(?:is not available|not found|does not exist)|artifact: VMImage",
        hint="the image does not exist in {region}; check its name, or copy it there",
    ),
    _ARM.block(
        "absent.other",
        NOT_FOUND,
        REGION,
        code=r"ResourceNotFound\w*|InvalidResourceReference|NotFound|ParentResourceNotFound|.*NotFound"
        r"|InvalidResourceId",
        hint="something named in the configuration (network, subnet, security group) does not exist in {region}",
    ),
)
