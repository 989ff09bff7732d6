"""The one way to plugins: list them without importing any, load one by the name that a user typed.

What is wrong with one plugin concerns only those who need it. Four different errors: not installed, broken,
incompatible, conflicting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from skyx_core.errors import (
    PluginBrokenError,
    PluginError,
    PluginNotInstalledError,
)
from skyx_core.index import Entry, Index, IndexReader
from skyx_core.specifiers import canonical

if TYPE_CHECKING:
    from pydantic import BaseModel

    from skyx_core.calls import Caller
    from skyx_core.drivers import CloudDriver, Executor
    from skyx_core.models import RuleTable
    from skyx_core.results import PluginInfo

Extra = tuple[str, str, object]  # kind, name, what a program passes in instead of installing it
_UNASKED = frozenset({"listener", "command"})  # loaded because they are installed, not because a user named them


class Plugins:
    """What is installed and what a program passed in (``extra``, which goes before an installed plugin of the same
    kind and name). Thread-safe.

    ``scan`` False (``--no-plugins``): installed listeners and commands are left out; drivers, executors and rules are
    still loaded by name, because only a name that the user gives loads them. ``disabled``: names of plugins or
    distributions that are never loaded. ``index_dir``: where the index file is kept; None = scan each time.
    """

    def __init__(
        self,
        *,
        caller: Caller,
        scan: bool = True,
        disabled: Iterable[str] = (),
        extra: Sequence[Extra] = (),
        index_dir: Path | None = None,
    ) -> None:
        self._caller = caller
        self._scan = scan
        self._disabled = frozenset(canonical(name) for name in disabled)
        self._extra = {(kind, name): plugin for kind, name, plugin in extra}
        self._reader = IndexReader(index_dir)
        self._loaded: dict[tuple[str, str], object] = {}
        self._where: dict[tuple[str, str], str] = {(kind, name): "" for kind, name, _ in extra}
        self._failed: dict[tuple[str, str], PluginBrokenError] = {}

    def index(self) -> Index:
        """The index as it is now; costs a few ``stat`` calls when nothing was installed since."""
        return self._reader.read()

    def entries(self) -> list[Entry]:
        """Everything passed in or installed, also what is disabled, in conflict or out of range."""
        passed = [Entry(kind, name, "", "", "") for kind, name in self._extra]
        hidden = frozenset(self._extra)
        return passed + [entry for entry in self.index().entries if (entry.kind, entry.name) not in hidden]

    def names(self, kind: str) -> list[str]:
        """Sorted names of one kind that may be loaded; imports nothing."""
        return sorted({entry.name for entry in self.entries() if entry.kind == kind and not self.is_off(entry)})

    def list(self) -> list[PluginInfo]:
        """One row per plugin, told apart by metadata alone; see ``plugins_report.check`` for what loads them."""
        from skyx_core.plugins_report import rows

        return rows(self)

    def is_off(self, entry: Entry) -> bool:
        """Whether it is disabled, by name, distribution or ``--no-plugins``."""
        if canonical(entry.name) in self._disabled or canonical(entry.distribution) in self._disabled:
            return True
        return not self._scan and entry.kind in _UNASKED and bool(entry.distribution)

    def cloud_class(self, name: str) -> type[CloudDriver[BaseModel]]:
        """The driver of one cloud. Repeated calls cost a dictionary look-up."""
        from skyx_core.drivers import CloudDriver
        from skyx_core.loading import check_class

        found = self._get("cloud", name, lambda plugin, entry: check_class(plugin, CloudDriver, entry))
        return cast("type[CloudDriver[BaseModel]]", found)

    def executor_class(self, name: str) -> type[Executor[BaseModel]]:
        """One executor, likewise."""
        from skyx_core.drivers import Executor
        from skyx_core.loading import check_class

        found = self._get("executor", name, lambda plugin, entry: check_class(plugin, Executor, entry))
        return cast("type[Executor[BaseModel]]", found)

    def rules(self, cloud: str) -> tuple[RuleTable, ...]:
        """The tables of error rules for a cloud, in the order of their distributions; () where there is none. They need
        no driver, and any number of distributions may bring one. One that is broken raises its error.
        """
        from skyx_core.loading import as_table, check_range, check_rules, load

        if ("rules", cloud) in self._loaded:
            return cast("tuple[RuleTable, ...]", self._loaded["rules", cloud])
        index = self.index()
        tables = [as_table(self._extra["rules", cloud])] if ("rules", cloud) in self._extra else []
        for entry in index.entries:
            if (entry.kind, entry.name) != ("rules", cloud) or self.is_off(entry):
                continue
            check_range(entry, index.core)
            table = load(entry, self._caller, through_stevedore=index.scanned)
            check_rules(table, entry)
            tables.append(as_table(table))
        self._loaded["rules", cloud] = tuple(tables)
        return tuple(tables)

    def command(self, name: str) -> object:
        """A command of the command line, a click command; the command line checks its type."""
        return self._get("command", name)

    def kit(self, name: str) -> object:
        """A driver's fixture for the conformance kit."""
        return self._get("kit", name)

    def listener(self, name: str) -> object:
        """A module or object with hook implementations."""
        from skyx_core.loading import check_api_version

        return self._get("listener", name, check_api_version)

    def load(self, kind: str, name: str) -> object:
        """One plugin of any kind, checked as its kind is."""
        loaders: dict[str, Callable[[str], object]] = {
            "cloud": self.cloud_class,
            "executor": self.executor_class,
            "rules": self.rules,
            "listener": self.listener,
        }
        return loaders[kind](name) if kind in loaders else self._get(kind, name)

    def where(self, kind: str, name: str) -> str:
        """'distribution version' for messages, "" for what was passed in or is not installed."""
        if (kind, name) in self._where:
            return self._where[kind, name]
        return next((entry.where for entry in self.index().entries if (entry.kind, entry.name) == (kind, name)), "")

    def _get(self, kind: str, name: str, check: Callable[[object, Entry], None] = lambda *_: None) -> object:
        key = (kind, name)
        if key in self._loaded:
            return self._loaded[key]
        if key in self._failed:  # importing it again would only hang or fail again
            raise self._failed[key].with_traceback(None)
        try:
            plugin = self._load(kind, name, check)
        except PluginBrokenError as broken:
            self._failed[key] = broken
            raise
        self._loaded[key] = plugin
        return plugin

    def _load(self, kind: str, name: str, check: Callable[[object, Entry], None]) -> object:
        from skyx_core.loading import load

        if (kind, name) in self._extra:
            plugin = self._extra[kind, name]
            check(plugin, Entry(kind, name, "", "", ""))
            return plugin
        index = self.index()
        entry = self._one(index, kind, name)
        self._where[kind, name] = entry.where
        plugin = load(entry, self._caller, through_stevedore=index.scanned)
        self._caller.call(check, plugin, entry, limit=5.0, what="the check", plugin=name, distribution=entry.where)
        return plugin

    def _one(self, index: Index, kind: str, name: str) -> Entry:
        """The only entry of this name, allowed and in range; nothing is imported for it."""
        from skyx_core.loading import check_range, conflict

        found = [entry for entry in index.entries if (entry.kind, entry.name) == (kind, name)]
        if not found:
            self._not_installed(index, kind, name)
        on = [entry for entry in found if not self.is_off(entry)]
        if not on:
            raise PluginError(
                f"plugin {name!r} is disabled",
                plugin=name,
                distribution=found[0].where,
                hint="take it out of SKYX_DISABLE_PLUGINS and the setting disable_plugins, and leave out --no-plugins",
            )
        if len(on) > 1:
            raise conflict(on)
        check_range(on[0], index.core)
        return on[0]

    def _not_installed(self, index: Index, kind: str, name: str) -> NoReturn:
        from difflib import get_close_matches

        installed = self.names(kind)
        known = [*installed, *(self.names("rules") if kind == "cloud" else ())]
        near = get_close_matches(name, known, n=1) if name not in known else []
        if name in index.extras:
            hint = f"pip install 'skyx[{name}]'"
        elif near:
            hint = f"did you mean {near[0]!r}?"
        else:
            hint = f"pip install the distribution that offers it; installed: {', '.join(installed) or 'none'}"
        raise PluginNotInstalledError(f"no {kind} named {name!r} is installed", plugin=name, hint=hint)
