"""Error rules: kubernetes, credentials and connections."""

from __future__ import annotations

from skyx_core.api import ErrorRule
from skyx_rules_extra._rows import (
    AUTH,
    BRIEF,
    CONFIG,
    MINUTE,
    REGION,
    TRANSIENT,
    Rows,
)

_CLIENT = Rows("kubernetes", "kubernetes python client, urllib3 and kubectl credential plugins, read 2026-11-30")
_KUBECONFIG = r"Config(?:Exception|Error)|KubeConfig\w*|ConfigurationError|ContextNotFound|"

CLIENT: tuple[ErrorRule, ...] = (
    _CLIENT.block(
        "client.plugin-missing",
        CONFIG,
        REGION,
        message=r"(?:exec: (?:executable )?|executable |plugin )\"?(?P<tool>[\w.-]+)\"?:? (?:executable file |was )?"
        r"(?:not found|no such file)",
        hint="the program {tool}, which gives the credentials of {region}, is not installed",
    ),
    _CLIENT.block(
        "client.plugin-version",
        CONFIG,
        REGION,
        message=r"invalid apiVersion|exec plugin is configured to use API version|apiVersion.{0,60}not (?:supported"
        r"|recognized)",
        hint="the kubeconfig of {region} is outdated; make it anew",
    ),
    _CLIENT.block(
        "client.plugin-failed",
        AUTH,
        REGION,
        message=r"executable (?P<tool>[\w./-]+) failed",
        hint="{tool} gives no credentials for {region}; log in to its cloud again",
    ),
    _CLIENT.block(
        "client.plugin-unwell",
        AUTH,
        REGION,
        message=r"getting credentials|exec plugin",
        hint="the program that gives the credentials of {region} fails; log in to its cloud again",
    ),
    _CLIENT.block(
        "client.login",
        AUTH,
        REGION,
        code=r"ExecCredentialError|RefreshError|.*CredentialsError|ExpiredToken\w*|SSOError|UnauthorizedSSOTokenError",
        hint="the credentials of {region} are not valid; log in again",
    ),
    _CLIENT.block(
        "client.certificate-expired",
        AUTH,
        REGION,
        message=r"certificate has expired|expired certificate|bad certificate|client certificate",
        hint="a certificate of context {region} has expired; make the kubeconfig anew",
    ),
    _CLIENT.block(
        "client.certificate",
        CONFIG,
        REGION,
        message=r"x509|CERTIFICATE_VERIFY_FAILED|certificate (?:verify failed|signed by unknown)|SSLError"
        r"|WRONG_VERSION_NUMBER",
        hint="the certificate of {region}'s API server is not trusted; fix the kubeconfig",
    ),
    _CLIENT.block(
        "client.kubeconfig",
        CONFIG,
        REGION,
        code=_KUBECONFIG,
        message=r"kube-?config|context .{0,80}(?:not found|does not exist|was not found)|expected (?:object|key)"
        r"|no configuration|service host/port is not set",
        hint="the kubeconfig has no usable context {region}",
    ),
    _CLIENT.block(
        "client.config",
        CONFIG,
        REGION,
        code=r"Config(?:Exception|Error)|KubeConfig\w*|ConfigurationError|ContextNotFound",
        hint="the kubeconfig of {region} is not usable; see the message",
    ),
    _CLIENT.again(
        "client.broken-off",
        TRANSIENT,
        REGION,
        BRIEF,
        code=r"ProtocolError|ReadTimeout\w*|RemoteDisconnected|ConnectionResetError|WebSocket\w*|IncompleteRead"
        r"|ChunkedEncodingError",
        hint="the connection to {region} broke; tried again",
    ),
    _CLIENT.block(
        "client.unreachable",
        CONFIG,
        REGION,
        ttl=5 * MINUTE,
        code=r"MaxRetryError|NewConnectionError|Connect(?:ion)?(?:Timeout)?(?:Error|Refused\w*)?|ConnectTimeout"
        r"|NameResolutionError|ProxyError|URLError|gaierror",
        hint="the API server of {region} does not answer; is the cluster running, and is the context current?",
    ),
    _CLIENT.block(
        "client.unreachable-told",
        CONFIG,
        REGION,
        ttl=5 * MINUTE,
        code=r"(?!ErrImage|ImagePull|FailedMount|ProvisioningFailed).*",
        message=r"connection refused|max retries exceeded|unable to connect to the server|name or service not known"
        r"|no such host|failed to resolve"
        r"|temporary failure in name resolution|nodename nor servname|no route to host|i/o timeout"
        r"|network is unreachable|connect(?:ion)? timed out|tunnel connection failed",
        hint="the API server of {region} does not answer; is the cluster running, and is the context current?",
    ),
)
