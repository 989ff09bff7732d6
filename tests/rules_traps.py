"""Answers of the tables of ``skyx-rules-extra`` to single errors."""

from __future__ import annotations

import error_corpus as corpus
from skyx_core.errors import CloudError
from skyx_core.models import Candidate, Place, Verdict

NOW = 1_000_000.0


def told(
    cloud: str,
    code: str = "",
    message: str = "",
    *,
    status: int = 0,
    zone: str | None = None,
    use_spot: bool = False,
    body: str = "",
    buckets: tuple[str, ...] = (),
) -> Verdict:
    """The verdict on one error that was met in region ``here`` with type ``big``."""
    tried = Candidate(
        cloud=cloud,
        region="here",
        zone=zone,
        instance_type="big",
        cpus=8,
        memory_gb=64,
        accelerators={"A100": 1},
        use_spot=use_spot,
        hourly_usd=1,
        quota_buckets=buckets,
    )
    place = Place(cloud=cloud, region="here", zones=(zone,) if zone else ())
    error = CloudError(cloud, "create", code=code, message=message, status=status, body=body)
    return corpus.book(cloud).classify(error, place=place, candidate=tried, now=NOW)


def meaning(verdict: Verdict) -> str:
    """``category scope``, ``category retry`` or ``abort``."""
    if verdict.abort:
        return "abort"
    return f"{verdict.category.value} {'retry' if verdict.retry else verdict.block.value}"
