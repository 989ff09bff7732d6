"""Drivers and executors of a session, by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from skyx_core.cluster.cloud import LOOK_LIMIT_S, Cloud
from skyx_core.drivers import (
    DriverContext,
    Executor,
    SupportsCatalogUpdate,
)
from skyx_core.errors import (
    CloudError,
    PluginError,
    PluginNotInstalledError,
)
from skyx_core.models import (
    Capability,
    Link,
    WhyNot,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from skyx_core.catalog import Catalogue
    from skyx_core.cluster.services import Services

T = TypeVar("T")


class Clouds:
    """Drivers and executors by name, made when first used, one per session."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._clouds: dict[str, Cloud] = {}
        self._executors: dict[str, Executor[BaseModel]] = {}
        self._chosen: list[Executor[BaseModel]] = []
        self._catalogues: dict[str, Catalogue] = {}
        self._lock = threading.RLock()

    def get(self, name: str) -> Cloud:
        """Raises the plugin error that says what is wrong with it."""
        with self._lock:
            if name not in self._clouds:
                driver = self._make("clouds", name, self._services.plugins.cloud_class(name))
                where = self._services.plugins.where("cloud", name)
                self._clouds[name] = Cloud(self._services, name, driver, where)
            return self._clouds[name]

    def catalogue(self, name: str) -> Catalogue:
        """What is here of a cloud that has no driver in use."""
        with self._lock:
            if name not in self._catalogues:
                self._catalogues[name] = catalogue_of(self._services, name, None)
            return self._catalogues[name]

    def made(self) -> Sequence[Cloud]:
        """Those that were used so far."""
        with self._lock:
            return tuple(self._clouds.values())

    def executor(self, name: str | None, link: Link) -> Executor[BaseModel]:
        """By name, else the settings' one, else the first installed that fits the link."""
        wanted = name or self._services.settings.executor
        with self._lock:
            if wanted:
                return self._executor(wanted)
            made = next((one for one in self._chosen if link in one.links), None)
            if made is not None:
                return made
            for candidate in self._services.plugins.names("executor"):
                try:
                    executor = self._executor(candidate)
                except PluginError:
                    continue
                if link in executor.links:
                    self._chosen.append(executor)
                    return executor
        raise PluginNotInstalledError(
            f"no installed executor can run jobs over {link.value!r}", hint="'skyx plugins' lists what is installed"
        )

    def _executor(self, name: str) -> Executor[BaseModel]:
        if name not in self._executors:
            self._executors[name] = self._make("executors", name, self._services.plugins.executor_class(name))
        return self._executors[name]

    def _make(self, group: str, name: str, kind: Callable[..., T]) -> T:
        services = self._services
        context = DriverContext(
            owner=services.store.owner,
            home=services.dirs.data / name,
            clock=services.clock,
            environ=services.environ,
            catalog=catalogue_of(services, name, kind) if group == "clouds" else None,
        )
        model: type[BaseModel] | None = getattr(kind, "settings_model", None)
        read = services.settings.cloud_model if group == "clouds" else services.settings.executor_model
        settings = read(name, model) if model is not None else None
        return services.caller.call(lambda: kind(settings, context), limit=LOOK_LIMIT_S, what="making it", plugin=name)

    def enabled(self, named: frozenset[str]) -> tuple[list[Cloud], list[WhyNot]]:
        """Clouds that may be candidates, and why the others may not. A broken plugin is a reason, not an end.

        ``named``: clouds that the task names; only they are loaded if there are any.
        """
        clouds: list[Cloud] = []
        reasons: list[WhyNot] = []
        for name in sorted(named) or self._services.plugins.names("cloud"):
            found = self._look(name)
            if isinstance(found, Cloud):
                clouds.append(found)
            elif named or not found.quiet:
                reasons.append(found)
        return (clouds, reasons) if named else (list(_without_fallbacks(clouds, reasons)), reasons)

    def _look(self, name: str) -> Cloud | WhyNot:
        if name in self._services.settings.disable_clouds:
            return WhyNot(subject=name, reason="disabled by the settings", fix="take it out of disable_clouds")
        try:
            cloud = self.get(name)
            return cloud.disabled() or cloud
        except PluginError as error:
            return WhyNot(subject=name, reason=str(error), fix=error.hint)
        except CloudError as error:
            return WhyNot(subject=name, reason=str(error))


def catalogue_of(services: Services, name: str, kind: Callable[..., object] | None) -> Catalogue:
    """What a cloud has on this machine; opened when it is first asked. ``kind``: its driver, if one is installed."""
    from skyx_core.catalog import Catalogue

    updatable = isinstance(kind, type) and issubclass(kind, SupportsCatalogUpdate)
    brings = getattr(kind, "builtin_catalog", "")
    return Catalogue.open(services.dirs, name, brings=brings, updatable=updatable)


def _without_fallbacks(clouds: Sequence[Cloud], reasons: list[WhyNot]) -> Iterator[Cloud]:
    real = [cloud for cloud in clouds if Capability.FALLBACK not in cloud.capabilities]
    for cloud in clouds:
        if cloud in real or not real:
            yield cloud
        else:
            fix = f"name it: --infra {cloud.name}"
            reasons.append(
                WhyNot(subject=cloud.name, reason="used only when named while other clouds are enabled", fix=fix)
            )
