"""The executor named ``local``: gangs of plain processes, which the agent starts itself."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict  # noqa: TID253 - reached only when the executor is used

from skyx_core.api import Executor, Link, NodeAccess, Payload, RuntimeRequirements


class LocalExecutorSettings(BaseModel):
    """There is nothing to set."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class LocalExecutor(Executor[LocalExecutorSettings]):
    """Needs nothing on the nodes, and starts nothing before a job runs."""

    name: ClassVar[str] = "local"
    settings_model: ClassVar[type[BaseModel] | None] = LocalExecutorSettings
    links: ClassVar[frozenset[Link]] = frozenset({Link.SANDBOX})

    def requirements(self) -> RuntimeRequirements:
        return RuntimeRequirements()

    def payload(self) -> Payload:
        return Payload()

    def prepare(self, nodes: NodeAccess) -> None:
        """Nothing to prepare."""

    def stop(self, nodes: NodeAccess) -> None:
        """Nothing to stop: the agent ends its jobs itself."""
