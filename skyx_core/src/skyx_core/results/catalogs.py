"""Catalogues of offers, and what is in them by accelerator."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CatalogInfo:
    """One row of ``catalog info``. ``rows``: offers, spot and on-demand apart. ``source``: a file, "update", or what
    the cloud's package brings. ``imported_at``: ISO-8601 UTC, "" for what a package brings. ``installed``: there is a
    driver, so that launches can use it. ``error``: why it can't be read.
    """

    cloud: str
    rows: int
    source: str
    imported_at: str
    age_seconds: float | None
    path: str
    installed: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """One cloud of ``catalog import`` or ``update``. ``rows``: offers now. ``error``: empty when it worked; otherwise
    the catalogue from before is still there.
    """

    cloud: str
    rows: int = 0
    types: int = 0
    regions: int = 0
    source: str = ""
    notes: list[str] = field(default_factory=list)
    error: str = ""
    error_code: str = ""
    exit_code: int = 0
    hint: str = ""


@dataclass(frozen=True, slots=True)
class GpuRow:
    """One row of ``show-gpus``: the cheapest of a cloud with so many of an accelerator. None: not sold that way."""

    cloud: str
    accelerators: dict[str, float]
    hourly_usd: float | None
    instance_type: str | None
    region: str | None
    spot_hourly_usd: float | None
    spot_instance_type: str | None
    spot_region: str | None


@dataclass(frozen=True, slots=True)
class GpuReport:
    """``problems``: clouds that could not be read, or why nothing was found."""

    rows: list[GpuRow]
    problems: list[str]
