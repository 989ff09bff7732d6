"""Importing one plugin, and checking that it is what its kind must be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from skyx_core.drivers import API_VERSION
from skyx_core.errors import PluginBrokenError, PluginConflictError, PluginIncompatibleError, PluginTimeoutError
from skyx_core.plugin_faults import Operation
from skyx_core.specifiers import allows

if TYPE_CHECKING:
    from skyx_core.calls import Caller
    from skyx_core.index import Entry
    from skyx_core.models import RuleTable

IMPORT_LIMIT_S = 5.0
SUPPORTED_API_VERSIONS = frozenset({API_VERSION})


def check_range(entry: Entry, core: str) -> None:
    """Raise ``PluginIncompatibleError`` if its distribution declares a range of skyx-core that leaves ours out."""
    if not core or not entry.requires or allows(entry.requires, core):
        return
    raise PluginIncompatibleError(
        f"plugin {entry.name!r} needs skyx-core{entry.requires}, but {core} is installed",
        plugin=entry.name,
        distribution=entry.where,
        hint=f"pip install --upgrade {entry.distribution}, or a skyx-core in that range",
    )


def incompatible(entry: Entry, core: str) -> PluginIncompatibleError | None:
    """The error for a plugin out of range, or None; by metadata alone."""
    try:
        check_range(entry, core)
    except PluginIncompatibleError as error:
        return error
    return None


def conflict(entries: Sequence[Entry]) -> PluginConflictError:
    """The error for a name that several entry points offer."""
    first = entries[0]
    owners = " and ".join(sorted({entry.where for entry in entries}))
    return PluginConflictError(
        f"the {first.kind} {first.name!r} is offered {len(entries)} times",
        plugin=first.name,
        distribution=owners,
        hint=f"pip uninstall {first.distribution}, or disable a distribution with SKYX_DISABLE_PLUGINS",
    )


def check_api_version(plugin: object, entry: Entry) -> None:
    """Raise ``PluginIncompatibleError`` if the plugin speaks another version of the contracts; none stated is ours."""
    version = getattr(plugin, "api_version", API_VERSION)
    if version in SUPPORTED_API_VERSIONS:
        return
    ours = ", ".join(str(number) for number in sorted(SUPPORTED_API_VERSIONS))
    raise PluginIncompatibleError(
        f"plugin {entry.name!r} speaks api_version {version!r}, this skyx-core speaks {ours}",
        plugin=entry.name,
        distribution=entry.where,
        hint=f"pip install --upgrade {entry.distribution or entry.name} skyx-core",
    )


def load(entry: Entry, caller: Caller, *, through_stevedore: bool) -> object:
    """Import what the entry point names, within 5 s; raises ``PluginBrokenError`` with the cause chained."""
    operation = Operation("the import", entry.name, entry.where)
    loader = _load_by_stevedore if through_stevedore else _load_directly
    try:
        return caller.call(
            loader,
            entry,
            limit=IMPORT_LIMIT_S,
            what=operation.what,
            plugin=entry.name,
            distribution=entry.where,
        )
    except PluginTimeoutError:
        raise operation.broken(
            f"did not end within {IMPORT_LIMIT_S:g} s",
            hint=f"SKYX_DISABLE_PLUGINS={entry.name} goes on without it; report it to its authors",
        ) from None
    except PluginBrokenError as broken:
        missing = _missing_module(broken.__cause__, entry, operation)
        if missing is not None:
            raise missing from broken.__cause__
        raise


def _load_directly(entry: Entry) -> object:
    from importlib import import_module

    module, _, attributes = entry.value.partition(":")
    found: object = import_module(module.strip())
    for attribute in filter(None, attributes.partition("[")[0].strip().split(".")):
        found = getattr(found, attribute)
    return found


def _load_by_stevedore(entry: Entry) -> object:
    """By name through stevedore, which is given the entry point that our scan found: its own caches, on disk and in
    the process, can be older than the last installation.
    """
    from importlib.metadata import EntryPoint

    from stevedore.driver import DriverManager

    from skyx_core.index import group_of

    group = group_of(entry.kind)

    class Fresh(DriverManager[object]):
        def list_entry_points(self) -> list[EntryPoint]:
            return [EntryPoint(entry.name, entry.value, group)]

    found: object = Fresh(group, entry.name).extensions[0].plugin
    return found


def _missing_module(cause: BaseException | None, entry: Entry, operation: Operation) -> PluginBrokenError | None:
    """Tells the plugin's own module that is gone from one that it needs."""
    if not isinstance(cause, ModuleNotFoundError) or not cause.name:
        return None
    own = entry.value.partition(":")[0].strip()
    if own == cause.name or own.startswith(f"{cause.name}."):
        return operation.broken(
            "failed",
            why=f"its module {cause.name!r} is not there, though its distribution is installed",
            hint=f"pip install --force-reinstall {entry.distribution}",
        )
    return operation.broken(
        "failed",
        why=f"it needs the module {cause.name!r}, which is not installed",
        hint=f"pip install --upgrade --force-reinstall {entry.distribution} brings what it declares",
    )


def check_class(plugin: object, base: type, entry: Entry) -> None:
    """Raise unless ``plugin`` is a class made of ``base``, of our version, complete, and named as its entry point."""
    operation = Operation("the class", entry.name, entry.where)
    if not isinstance(plugin, type) or not issubclass(plugin, base):
        what = f"the class {plugin.__name__}" if isinstance(plugin, type) else f"an object of {type(plugin).__name__}"
        raise operation.broken(f"is not a {base.__name__}", why=f"{entry.value or 'it'} is {what}")
    check_api_version(plugin, entry)
    abstract: frozenset[str] = getattr(plugin, "__abstractmethods__", frozenset())
    if abstract:
        raise operation.broken("lacks methods", why=", ".join(sorted(abstract)))
    named = getattr(plugin, "name", None)
    if named != entry.name:
        raise operation.broken("has another name than its entry point", why=f"its class says {named!r}")
    lacking = [name for name in getattr(base, "__annotations__", {}) if not hasattr(plugin, name)]
    if lacking:
        raise operation.broken("lacks attributes", why=", ".join(sorted(lacking)))


def check_rules(table: object, entry: Entry) -> None:
    """Raise unless it is a table of error rules, or a sequence of them, with patterns that compile."""
    from skyx_core.models import ErrorRule, RuleTable

    operation = Operation("the table of error rules", entry.name, entry.where)
    if isinstance(table, RuleTable):
        for name in ("summaries", "wrappers"):
            for text in (*getattr(table, name), "|".join(f"(?:{each})" for each in getattr(table, name))):
                _check_pattern(text, name, operation)
        table = table.rules
    if not isinstance(table, Iterable):
        raise operation.broken("is not a sequence", why=f"{entry.value} is {type(table).__name__}")
    for row in table:
        operation.checked(row, ErrorRule)
        for name in ("code", "operation", "kind", "region", "instance_type"):
            _check_pattern(getattr(row, name), f"{row.id}: {name}", operation)
        _check_pattern(row.message, f"{row.id}: message", operation, re.IGNORECASE | re.DOTALL)


def _check_pattern(text: str | None, name: str, operation: Operation, flags: int = 0) -> None:
    try:
        re.compile(text or "", flags)
    except re.error as error:
        raise operation.broken("has a bad pattern", why=f"{name}: {error}") from error


def as_table(table: object) -> RuleTable:
    """A table that was checked, as one."""
    from skyx_core.models import RuleTable

    return table if isinstance(table, RuleTable) else RuleTable.model_validate({"rules": table})
