"""Settings of the two drivers."""

from __future__ import annotations

from pydantic import Field  # noqa: TID253 - models are pydantic

from skyx_core.api import DriverContext, Model, Offer, WhyNot


class FakeCloudSettings(Model):
    """``url``: of the server; without it, the variable ``SKYX_FAKEVM_URL`` or ``SKYX_FAKEPOD_URL``."""

    url: str = ""
    call_timeout_s: float = Field(default=5.0, gt=0, le=600)
    poll_s: float = Field(default=0.05, gt=0)  # of the context's clock, between two looks at booting nodes
    pending_limit_s: float = Field(default=20.0, gt=0)  # how long a pod may wait for room
    list_pages: int = Field(default=1000, ge=1)  # more pages than this are an incomplete list
    page_size: int = Field(default=0, ge=0)  # 0: as the cloud likes
    offers: tuple[Offer, ...] = ()  # instead of the built-in catalogue


def endpoint_of(settings: FakeCloudSettings, context: DriverContext, name: str) -> str:
    """The server's URL, or "" when nothing says it."""
    return settings.url or context.environ.get(f"SKYX_{name.upper()}_URL", "")


def endpoint_missing(settings: FakeCloudSettings, context: DriverContext, name: str) -> WhyNot | None:
    """For ``CloudDriver.disabled``."""
    if endpoint_of(settings, context, name):
        return None
    return WhyNot(
        subject=name,
        reason="the URL of its server isn't set",
        fix=f"set clouds.{name}.url in the settings, or SKYX_{name.upper()}_URL",
    )
