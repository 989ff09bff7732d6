"""The error tree. Every error says what, where, why and what to do, and has a stable code.

Imports the standard library only: the command line needs it on its fastest path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar


def storable(text: str) -> str:
    """Text as it can be stored and sent: what isn't valid Unicode is written as an escape."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


class SkyxError(Exception):
    """Base of all errors that skyx raises on purpose.

    ``attempts``: after a search for capacity, rows (infra, resources, reason, hint) of everything that was looked at.
    ``what`` is one sentence without a full stop; ``where`` a file position, cluster or plugin;
    ``why`` the cause; ``hint`` what to do now. ``code`` never changes its meaning between releases.
    """

    code: ClassVar[str] = "SKYX-E100"
    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str = "", why: str = "", hint: str = "") -> None:
        self.what = storable(what)
        self.where = storable(where)
        self.why = storable(why)
        self.hint = storable(hint)
        self.attempts: tuple[tuple[str, str, str, str], ...] = ()
        super().__init__(self.what)

    def __str__(self) -> str:
        parts = [self.what]
        if self.where:
            parts.append(f"at {self.where}")
        if self.why:
            parts.append(f"because {self.why}")
        return ", ".join(parts)


class UsageError(SkyxError):
    """A flag, argument or setting that can't be right; nothing was changed."""

    code = "SKYX-E200"
    exit_code = 2


@dataclass(frozen=True)
class Problem:
    """One mistake in a file. ``line`` and ``column`` count from 1; 0 = unknown. ``path`` like ``resources.cpus``."""

    path: str
    message: str
    line: int = 0
    column: int = 0
    suggestion: str = ""

    def render(self, file: str) -> str:
        """``file:line:column: path: message (did you mean ...?)`` on one line."""
        place = f"{file}:{self.line}:{self.column}" if self.line else file
        path = f"{self.path}: " if self.path else ""
        hint = f" (did you mean {self.suggestion!r}?)" if self.suggestion else ""
        return f"{place}: {path}{self.message}{hint}"


class TaskFileError(UsageError):
    """A task file with one or more mistakes; all of them are in ``problems``."""

    code = "SKYX-E210"

    def __init__(self, file: str, problems: Sequence[Problem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        count = len(self.problems)
        super().__init__(
            f"{file} has {count} mistake{'s' if count != 1 else ''}",
            hint="mend the lines named above; 'skyx schema' prints what is accepted",
        )

    def __str__(self) -> str:
        return "\n".join(problem.render(self.file) for problem in self.problems)


class SettingsError(UsageError):
    """A settings file or variable that can't be used."""

    code = "SKYX-E220"


class CatalogError(UsageError):
    """A catalogue of offers that can't be read, imported or written; what was there before is untouched."""

    code = "SKYX-E240"


class ScenarioError(UsageError):
    """A file of simulated clouds with one or more mistakes, or one that can't end."""

    code = "SKYX-E250"


class NotFoundError(SkyxError):
    """No such cluster, job or file of ours."""

    code = "SKYX-E300"
    exit_code = 3


class NoSuchJobError(NotFoundError):
    """The cluster is there, the job isn't."""

    code = "SKYX-E301"
    exit_code = 102


class NotConfirmedError(SkyxError):
    """The user answered no, or could not be asked; nothing was changed."""

    code = "SKYX-E230"


class CredentialsError(SkyxError):
    """No cloud could be used because of its credentials."""

    code = "SKYX-E400"
    exit_code = 4


class NoCapacityError(SkyxError):
    """No candidate had capacity or quota. ``retry_after``: in how many seconds the first block ends, None = nothing is
    blocked for a time only.
    """

    code = "SKYX-E500"
    exit_code = 5

    def __init__(
        self,
        what: str,
        *,
        attempts: Sequence[tuple[str, str, str, str]] = (),
        where: str = "",
        why: str = "",
        hint: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(what, where=where, why=why, hint=hint)
        self.attempts = tuple(attempts)
        self.retry_after = retry_after


class BusyError(SkyxError):
    """Another command holds the cluster; ``why`` names it (process, host, since when)."""

    code = "SKYX-E600"
    exit_code = 6


class LeftoverError(SkyxError):
    """Something may be left in a cloud; ``remaining`` lists it."""

    code = "SKYX-E700"
    exit_code = 7

    def __init__(
        self, what: str, *, remaining: Sequence[str] = (), where: str = "", why: str = "", hint: str = ""
    ) -> None:
        super().__init__(what, where=where, why=why, hint=hint)
        self.remaining = tuple(remaining)


class InterruptedBySignal(SkyxError):
    """The user pressed Ctrl-C; what was done about it is in ``why``."""

    code = "SKYX-E130"
    exit_code = 130


class ClusterStateError(SkyxError):
    """The cluster is not in a state in which this can be done."""

    code = "SKYX-E310"


class MismatchError(SkyxError):
    """A request doesn't fit the existing cluster; names the field, what was asked and what is there."""

    code = "SKYX-E320"


class NodeError(SkyxError):
    """A node could not be reached, prepared or given its files."""

    code = "SKYX-E330"


class AgentError(SkyxError):
    """The agent on the head did not answer, or refused."""

    code = "SKYX-E340"


class AgentRefusedError(AgentError):
    """The agent answered, and refused."""

    code = "SKYX-E341"


class CloudCallError(SkyxError):
    """A cloud answered with an error outside of a search for capacity; ``why`` is its answer."""

    code = "SKYX-E520"


class StateStoreError(SkyxError):
    """The record of clusters can't be read or written."""

    code = "SKYX-E800"


class StateTooNewError(StateStoreError):
    """The record was written by a newer release; nothing was changed."""

    code = "SKYX-E810"


class PluginError(SkyxError):
    """Base of what can be wrong with a plugin. ``plugin`` is its name, ``distribution`` 'name version'."""

    code = "SKYX-E900"

    def __init__(
        self,
        what: str,
        *,
        plugin: str = "",
        distribution: str = "",
        where: str = "",
        why: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(what, where=where or distribution, why=why, hint=hint)
        self.plugin = plugin
        self.distribution = distribution


class PluginNotInstalledError(PluginError):
    """No installed distribution offers this name; ``hint`` is the pip line."""

    code = "SKYX-E910"
    exit_code = 2


class PluginBrokenError(PluginError):
    """The plugin is installed, but it raised, hung or was not what its contract says; the cause is chained."""

    code = "SKYX-E920"


class PluginIncompatibleError(PluginError):
    """The plugin was made for another version of the contracts; ``hint`` names what would do."""

    code = "SKYX-E930"


class PluginConflictError(PluginError):
    """Two distributions offer the same name; both are named."""

    code = "SKYX-E940"


class PluginTimeoutError(PluginError):
    """A call into a plugin did not return within its limit."""

    code = "SKYX-E950"


class PolicyVetoError(SkyxError):
    """A listener refused the launch; it is named."""

    code = "SKYX-E960"


class AttemptCancelled(SkyxError):
    """Raised inside a driver whose attempt was cancelled or is past its deadline: it may create nothing more."""

    code = "SKYX-E510"


@dataclass(frozen=True)
class CloudErrorDetail:
    """One of several errors in one answer of a cloud. ``data``: what else it says, by name."""

    code: str = ""
    message: str = ""
    status: int = 0
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class CloudError(Exception):
    """What a cloud answered, as data. Drivers turn what their SDK raised into this, and nothing else.

    ``details`` holds every error of one operation (several stay several). ``data["kind"]``: what sort of answer it is,
    where a cloud has several. ``body``: the raw answer, JSON or the text that a tool printed; errors nested in it are
    found by the cloud's table of rules. ``nodes_may_exist``: False only when the driver knows that this call can have
    made nothing. ``unanswered``: the call timed out or broke off, so it may still take effect.
    """

    cloud: str
    operation: str
    code: str = ""
    message: str = ""
    status: int = 0
    request_id: str = ""
    details: tuple[CloudErrorDetail, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)
    nodes_may_exist: bool = True
    unanswered: bool = False
    body: str = ""

    def __post_init__(self) -> None:
        self.code, self.message = storable(self.code), storable(self.message)
        super().__init__(self.message or self.code)

    def __str__(self) -> str:
        head = f"{self.cloud} {self.operation}"
        return f"{head}: {self.code}: {self.message}" if self.code else f"{head}: {self.message}"
