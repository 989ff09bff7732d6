"""What the tables of Google Cloud share: where the facts are from, and codes within texts."""

from __future__ import annotations

COMPUTE = "Compute Engine API errors, docs.cloud.google.com/compute/docs/reference/rest/v1/errors, read 2026-11-30"
AVAILABILITY = "Compute Engine, resource availability errors, docs.cloud.google.com/compute, read 2026-11-30"
QUOTA = "Cloud quotas and Compute Engine allocation quotas, docs.cloud.google.com, read 2026-11-30"
TPU = "Cloud TPU error glossary, docs.cloud.google.com/tpu/docs/troubleshooting/error_glossary, read 2026-11-30"
RPC = "google.rpc codes and ErrorInfo reasons, github.com/googleapis/googleapis, read 2026-11-30"
IAM = "IAM and Organization Policy documentation, docs.cloud.google.com, read 2026-11-30"
AUTH = "google-auth library, google.auth.exceptions, read 2026-11-30"
AUTOSCALER = "cluster-autoscaler, cloudprovider/gce, read 2026-11-30"
REFERENCE = "skypilot, GCP failover handler, read 2026-11-30"
TERRAFORM = "terraform-provider-google, error_retry_predicates, read 2026-11-30"


def raised(*names: str) -> str:
    """Exceptions of the client libraries, with or without their module."""
    return "|".join(rf"(?:[\w.]+[.])?{name}" for name in names)
