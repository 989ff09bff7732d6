"""Looking, without changing anything in a cloud: status, plan, check, plugins, offers, explain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from skyx_core.cluster.guard import Guard
from skyx_core.cluster.planning import PlanOptions, plan_tasks
from skyx_core.cluster.refresh import refresh
from skyx_core.errors import CloudError, NotFoundError, PluginError, SkyxError
from skyx_core.models import Capability, EventKind
from skyx_core.results import CheckResult, Json, PipelinePlan, PluginInfo, StatusResult
from skyx_core.state.records import ClusterRecord

if TYPE_CHECKING:
    from skyx_core.cluster.classifying import Classified
    from skyx_core.cluster.services import Services
    from skyx_core.failover.replay import Replayed
    from skyx_core.task import Task


class Views:
    """See ``Session`` for what each does."""

    def __init__(self, services: Services, guard: Guard) -> None:
        self._services = services
        self._guard = guard

    def plan(self, tasks: Sequence[Task], options: PlanOptions) -> PipelinePlan:
        return plan_tasks(self._services, tasks, options)

    def status(self, names: Sequence[str], *, refresh: bool, armed: frozenset[str]) -> StatusResult:
        store = self._services.store
        for record in store.list(list(names) or None):
            if refresh or (record.name in armed and self._free(record)):
                self._refresh(record.name)
        infos = store.infos(list(names) or None)
        found = {info.name for info in infos}
        unknown = [name for name in names if name not in found and not any(mark in name for mark in "*?[")]
        return StatusResult(infos, unknown, list(store.warnings))

    def _free(self, record: ClusterRecord) -> bool:
        try:
            return Capability.FREE_DESCRIBE in self._services.clouds.get(record.cloud).capabilities
        except PluginError:
            return False

    def _refresh(self, name: str) -> None:
        """Left out while another command works on the cluster: that one knows better."""
        services = self._services
        try:
            with self._guard.held(name, 0):
                if services.store.get(name) is not None:
                    refresh(services, services.store.take(name))
        except (SkyxError, CloudError) as error:
            services.event(EventKind.WARNING, message=f"{name}: {error}")

    def check(self, names: Sequence[str]) -> list[CheckResult]:
        """Without names: all that are installed, but for those that nobody set up and nobody misses."""
        found = [self._check(name, named=bool(names)) for name in names or self._services.plugins.names("cloud")]
        return [one for one in found if one is not None]

    def _check(self, name: str, *, named: bool) -> CheckResult | None:
        try:
            cloud = self._services.clouds.get(name)
            off = cloud.disabled()
            if off is not None and off.quiet and not named:
                return None
            if off is not None:
                return _failed_check(name, "enabled", off.reason, off.fix)
            lines = cloud.check()
        except SkyxError as error:
            return _failed_check(name, "plugin", str(error), error.hint)
        except CloudError as error:
            return _failed_check(name, "cloud", str(error), "see what the cloud says of it")
        rows: list[dict[str, Json]] = [line.model_dump() for line in lines]
        return CheckResult(name, all(line.ok for line in lines), rows)

    def plugins(self, *, check: bool) -> list[PluginInfo]:
        if not check:
            return self._services.plugins.list()
        from skyx_core.plugins_report import check as check_all

        return check_all(self._services.plugins, environ=self._services.environ)

    def classify(self, cloud: str, lines: Iterable[str]) -> Classified:
        from skyx_core.cluster.classifying import Classified

        return Classified(self._services, cloud, lines)

    def explain(self, name: str) -> Iterator[Mapping[str, Json]]:
        known = self._services.store.get(name) is not None or self._services.store.history(name)
        if not known:
            raise NotFoundError(f"no cluster was ever named {name!r}", hint="'skyx status' lists those there are")
        return self._events(name)

    def replay(self, name: str) -> Iterator[Replayed]:
        from skyx_core.failover.replay import launches, replay
        from skyx_core.models import Event

        self.explain(name)
        stored = []
        for event in self._services.store.events(name):
            try:
                stored.append(Event.model_validate_json(event.json))
            except ValueError:
                self._damaged(event.seq)
        for launch in launches(stored):
            yield from replay(launch)

    def _damaged(self, seq: int) -> None:
        self._services.event(EventKind.WARNING, message=f"event {seq} is damaged and left out")

    def _events(self, name: str) -> Iterator[Mapping[str, Json]]:
        for event in self._services.store.events(name):
            fields = _object(event.json)
            if fields is None:
                self._damaged(event.seq)
                continue
            yield {**self._with_hints(fields), "seq": event.seq, "kind": event.kind, "time": event.time}

    def _with_hints(self, fields: Mapping[str, Json]) -> Mapping[str, Json]:
        """Each candidate that was left out with what its block's rule says to do."""
        rows = fields.get("skipped")
        if not isinstance(rows, list) or not rows:
            return fields
        return {
            **fields,
            "skipped": [{**row, "hint": self._hint(row)} if isinstance(row, dict) else row for row in rows],
        }

    def _hint(self, row: Mapping[str, Json]) -> str:
        from skyx_core.cluster.rule_hints import rule_hint
        from skyx_core.models import Block

        try:
            block = Block.model_validate(row.get("block"))
        except ValueError:
            return ""
        return rule_hint(self._services.rulebooks, block.rule, block.key)


def _object(text: str) -> dict[str, Json] | None:
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _failed_check(cloud: str, name: str, detail: str, fix: str) -> CheckResult:
    return CheckResult(cloud, False, [{"name": name, "ok": False, "detail": detail, "fix": fix}])
