"""Putting the services of a session together."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from skyx_core.calls import Caller
from skyx_core.cluster.rulebooks import Rulebooks
from skyx_core.cluster.services import Services
from skyx_core.discovery import Plugins
from skyx_core.errors import CloudError, StateStoreError
from skyx_core.hooks import Hooks
from skyx_core.models import Candidate, Event, Place, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Protocol

    from skyx_core.clock import Clock
    from skyx_core.dirs import Dirs
    from skyx_core.settings import Settings
    from skyx_core.state.store import Store

    class Embedder(Protocol):
        """The parts of a session that services are made from."""

        environ: Mapping[str, str]
        cwd: Path
        dirs: Dirs
        settings: Settings
        clock: Clock
        command: str
        on_event: Callable[[Event], None] | None
        scan_plugins: bool
        extra_plugins: Sequence[object]

        @property
        def store(self) -> Store: ...


def make_services(session: Embedder) -> Services:
    """No plugin is loaded here."""
    caller = Caller(session.clock)
    plugins = Plugins(
        caller=caller,
        scan=session.scan_plugins,
        disabled=session.settings.disable_plugins,
        extra=[_extra(plugin) for plugin in session.extra_plugins],
        index_dir=session.dirs.cache,
    )
    trace = sys.stderr if session.environ.get("SKYX_TRACE_HOOKS") == "1" else None
    made: list[Services] = []  # the clouds are made with it, and rules are asked of them later
    rulebooks = Rulebooks(plugins, session.dirs.rules_file, _log, lambda cloud: made[0].clouds.get(cloud).rules())
    hooks = Hooks(plugins, _classifier(rulebooks, session.clock), caller=caller, log=_log, trace=trace)
    services = Services(
        dirs=session.dirs,
        settings=session.settings,
        store=session.store,
        plugins=plugins,
        hooks=hooks,
        rulebooks=rulebooks,
        caller=caller,
        clock=session.clock,
        emit=_emitter(session, hooks),
        environ=session.environ,
        cwd=session.cwd,
        command=session.command,
    )
    made.append(services)
    return services


def _extra(plugin: object) -> tuple[str, str, object]:
    if isinstance(plugin, tuple) and len(plugin) == 3:
        kind, name, value = plugin
        return str(kind), str(name), value
    return "listener", getattr(plugin, "__name__", type(plugin).__name__), plugin


def _log(message: str) -> None:
    sys.stderr.write(f"warning: {message}\n")


def _emitter(session: Embedder, hooks: Hooks) -> Callable[[Event], None]:
    """Store first, then show, then tell the listeners. A disk that is full must not stop a clean-up."""

    lock = threading.RLock()

    def emit(event: Event) -> None:
        with lock:
            tell(event)

    def tell(event: Event) -> None:
        if event.cluster_uid:
            try:
                text = event.model_dump_json(exclude_defaults=True)
                session.store.add_event(event.cluster_uid, event.cluster, event.kind.value, text)
            except StateStoreError as error:
                _log(f"an event could not be stored: {error}")
        if session.on_event is not None:
            session.on_event(event)
        hooks.event(event)

    return emit


def _classifier(rulebooks: Rulebooks, clock: Clock) -> Callable[..., Verdict]:
    def classify(*, cloud: str, place: Place, candidate: Candidate, error: CloudError) -> Verdict:
        return rulebooks.of(cloud).classify(error, place=place, candidate=candidate, now=clock.time())

    return classify
