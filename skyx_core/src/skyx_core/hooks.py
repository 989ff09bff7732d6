"""The verbs, typed: the only user of a pluggy manager. Verbs raise what their driver raises; a watching listener that
fails is logged and gets no more events.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO, TypeVar, cast

from skyx_core.errors import CloudError, SkyxError
from skyx_core.listeners import BUILTIN, Registry, guilty, load_listeners, milliseconds_since

if TYPE_CHECKING:
    from pluggy import HookImpl
    from pydantic import BaseModel

    from skyx_core.builtin_verbs import Classify
    from skyx_core.calls import Caller, Fence
    from skyx_core.discovery import Plugins
    from skyx_core.drivers import Attempt, CloudDriver, Executor, NodeAccess
    from skyx_core.models import (
        Candidate,
        Cluster,
        ClusterHandle,
        Event,
        JobReceipt,
        JobSpec,
        Place,
        Request,
        TeardownResult,
        Verdict,
    )
    from skyx_core.task import Task

T = TypeVar("T")
OnLate = Callable[[object], None]
EVENT_LIMIT_S = 2.0
VETO_LIMIT_S = 10.0
CLASSIFY_LIMIT_S = 10.0


class Hooks:
    """The hooks of one session. Listeners are loaded at the first use that could concern them; none installed costs
    nothing. Every call has a limit in seconds and runs in a thread of its own (see ``calls``). Thread-safe.

    ``log`` gets one line per listener that was left out. ``trace``: prints each hook, its implementations, the type of
    its result and its time (``SKYX_TRACE_HOOKS=1``).
    """

    def __init__(
        self,
        plugins: Plugins,
        classify: Classify,
        *,
        caller: Caller,
        log: Callable[[str], None],
        trace: TextIO | None = None,
    ) -> None:
        self._plugins = plugins
        self._classify = classify
        self._caller = caller
        self._log = log
        self._trace = trace
        self._lock = threading.Lock()
        self._loaded: Registry | None = None
        self._none: bool | None = None
        self._deaf: set[str] = set()

    def check_launch(
        self, task: Task, requests: Sequence[Request], candidates: Sequence[Candidate]
    ) -> list[tuple[str, str]]:
        """(listener, reason) of each veto. One that fails, or doesn't answer within 10 s, vetoes too."""
        shown = {"task": task, "requests": requests, "candidates": candidates[:20]}
        return [
            (impl.plugin_name, reason)
            for impl in self._watchers("skyx_check_launch")
            if (reason := self._veto(impl, shown)) is not None
        ]

    def provision(
        self,
        driver: CloudDriver[BaseModel],
        place: Place,
        request: Request,
        attempt: Attempt,
        *,
        limit: float,
        fence: Fence | None = None,
        grace: float = 0.0,
        on_late: OnLate | None = None,
    ) -> Cluster:
        """Make the nodes of one attempt. Raises what the driver raises."""
        from skyx_core.models import Cluster

        asked = {"driver": driver, "place": place, "request": request, "attempt": attempt}
        verb = self._verb("skyx_provision", Cluster, asked)
        where = self._plugins.where("cloud", driver.name)
        return self._caller.call(
            verb,
            limit=limit,
            what="provision",
            plugin=driver.name,
            distribution=where,
            fence=fence,
            grace=grace,
            on_late=on_late,
        )

    def classify_error(self, cloud: str, place: Place, candidate: Candidate, error: CloudError) -> Verdict:
        """What an error means. A listener that fails here is logged, and core's own answer counts."""
        from skyx_core.models import Verdict

        if self._none_installed():
            return self._classify(cloud=cloud, place=place, candidate=candidate, error=error)
        asked: dict[str, object] = {"cloud": cloud, "place": place, "candidate": candidate, "error": error}
        verb = self._verb("skyx_classify_error", Verdict, asked)
        try:
            return self._caller.call(verb, limit=CLASSIFY_LIMIT_S, what="classify_error", plugin=cloud)
        except (SkyxError, CloudError) as failed:
            self._log(f"classifying an error of {cloud}: {failed}; core's own rules are used")
            return self._classify(cloud=cloud, place=place, candidate=candidate, error=error)

    def submit_job(
        self, executor: Executor[BaseModel], cluster: NodeAccess, job: JobSpec, *, limit: float
    ) -> JobReceipt:
        """Queue a job on a live cluster; the same ``submit_id`` is queued once."""
        from skyx_core.models import JobReceipt

        verb = self._verb("skyx_submit_job", JobReceipt, {"executor": executor, "cluster": cluster, "job": job})
        where = self._plugins.where("executor", executor.name)
        return self._caller.call(verb, limit=limit, what="submit_job", plugin=executor.name, distribution=where)

    def teardown(
        self, driver: CloudDriver[BaseModel], handle: ClusterHandle, place: Place, *, limit: float
    ) -> TeardownResult:
        """Terminate; called again until ``done``."""
        from skyx_core.models import TeardownResult

        verb = self._verb("skyx_teardown", TeardownResult, {"driver": driver, "handle": handle, "place": place})
        where = self._plugins.where("cloud", driver.name)
        return self._caller.call(verb, limit=limit, what="teardown", plugin=driver.name, distribution=where)

    def event(self, event: Event) -> None:
        """Tell every watcher, one by one, at most 2 s each; never raises for what a watcher does."""
        for impl in self._watchers("skyx_event"):
            if impl.plugin_name in self._deaf:
                continue
            try:
                self._ask("skyx_event", impl, {"event": event}, EVENT_LIMIT_S)
            except (SkyxError, CloudError) as error:
                self._deaf.add(impl.plugin_name)
                self._log(f"listener {impl.plugin_name!r} gets no more events: {error}")

    def _veto(self, impl: HookImpl, shown: dict[str, object]) -> str | None:
        try:
            reason = self._ask("skyx_check_launch", impl, shown, VETO_LIMIT_S)
        except (SkyxError, CloudError) as error:
            return f"it failed: {error}"
        if reason is None or isinstance(reason, str):
            return reason
        return f"it answered {type(reason).__name__} instead of a reason or None"

    def _watchers(self, hook: str) -> list[HookImpl]:
        if self._none_installed():
            return []
        impls: list[HookImpl] = getattr(self._registry().manager.hook, hook).get_hookimpls()
        return list(reversed(impls))  # pluggy's own order: the last registered first

    def _none_installed(self) -> bool:
        """Looked up once: a listener that is installed later waits for the next session."""
        if self._none is None:
            self._none = self._loaded is None and not self._plugins.names("listener")
        return self._none

    def _ask(self, hook: str, impl: HookImpl, arguments: dict[str, object], limit: float) -> object:
        """Call one implementation by itself, so that it can't spoil the others."""
        start = time.perf_counter()
        name = impl.plugin_name
        values = [arguments[argument] for argument in impl.argnames]
        where = self._registry().where.get(name, "")
        answer: object = self._caller.call(
            impl.function, *values, limit=limit, what=hook, plugin=name, distribution=where
        )
        self._traced(hook, [name], answer, start)
        return answer

    def _verb(self, hook: str, expected: type[T], arguments: dict[str, object]) -> Callable[[], T]:
        """A call of all implementations of a verb, to be made in a thread; the first answer counts."""
        registry = self._registry()
        caller: Callable[..., object] = getattr(registry.manager.hook, hook)

        def call() -> T:
            start = time.perf_counter()
            answer: object = None
            try:
                answer = caller(**arguments)
            except (CloudError, SkyxError) as error:
                answer = error
                raise
            except BaseException as error:
                answer = error
                raise guilty(error, hook, registry) from error
            finally:
                self._traced(hook, self._names(hook, registry), answer, start)
            return cast("T", self._checked(hook, expected, answer, registry))

        return call

    def _checked(self, hook: str, expected: type, answer: object, registry: Registry) -> object:
        names = [name for name in self._names(hook, registry) if name != BUILTIN]
        return registry.operation(hook, " or ".join(names) or BUILTIN).checked(answer, expected)

    def _names(self, hook: str, registry: Registry) -> list[str]:
        return [impl.plugin_name for impl in reversed(getattr(registry.manager.hook, hook).get_hookimpls())]

    def _traced(self, hook: str, names: list[str], answer: object, start: float) -> None:
        if self._trace is not None:
            line = f"hook {hook} [{', '.join(names)}] -> {type(answer).__name__} {milliseconds_since(start)} ms\n"
            self._trace.write(line)
            self._trace.flush()

    def _registry(self) -> Registry:
        """The manager with everything registered; made once."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> Registry:
        import pluggy

        from skyx_core import hookspecs
        from skyx_core.builtin_verbs import BuiltinVerbs

        registry = Registry(pluggy.PluginManager("skyx"))
        registry.manager.add_hookspecs(hookspecs)
        registry.manager.register(BuiltinVerbs(self._classify, self._plugins.where), name=BUILTIN)
        load_listeners(registry, self._plugins, self._caller, lambda error: self._log(f"{error}; it is left out"))
        return registry
