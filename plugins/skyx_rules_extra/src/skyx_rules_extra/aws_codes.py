"""What the tables of AWS share: how its codes look, and where the facts are from."""

from __future__ import annotations

EC2 = "EC2 API error codes, docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html, read 2026-11-30"
STATE_REASON = "EC2 API, StateReason, docs.aws.amazon.com/AWSEC2, read 2026-11-30"
SPOT_STATUS = "EC2 user guide, spot request status codes, docs.aws.amazon.com/AWSEC2, read 2026-11-30"
AUTOSCALING = "EC2 Auto Scaling user guide, launch failures, docs.aws.amazon.com/autoscaling, read 2026-11-30"
KARPENTER = "karpenter-provider-aws, pkg/errors, read 2026-11-30"
BOTOCORE = "botocore, exceptions and retries, read 2026-11-30"
COMMON = "AWS query and JSON APIs, common errors, docs.aws.amazon.com, read 2026-11-30"

OPT_IN_REGIONS = (
    r"af-south-1|ap-east-[12]|ap-south-2|ap-southeast-[3-9]|ca-west-1|eu-central-2|eu-south-[12]|il-central-1"
    r"|me-(?:central|south)-1|mx-central-1"
)
"""Regions that an account must switch on first (account guide, docs.aws.amazon.com, read 2026-11-30)."""


def codes(*names: str) -> str:
    """A pattern for any of the codes, alone or as a state reason writes them (``Client.X``, ``Server.X``)."""
    return rf"(?:(?:Client|Server)\.)?(?:{'|'.join(names)})"


def raised(*names: str) -> str:
    """Exceptions of the client library, with or without their module."""
    return rf"(?:[\w.]+\.)?(?:{'|'.join(names)})"
