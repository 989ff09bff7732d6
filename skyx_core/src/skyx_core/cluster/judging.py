"""What a failure in an attempt means: the rules for what a cloud answered, the narrowest block for faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skyx_core.errors import (
    AgentError,
    AttemptCancelled,
    CloudError,
    NodeError,
    PluginBrokenError,
    PluginError,
    PluginTimeoutError,
)
from skyx_core.failover import rules
from skyx_core.failover.stamp import stamped, until_fixed
from skyx_core.models import Category, Place, Scope, Verdict

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services
    from skyx_core.plan.planner import Choice

Failure = CloudError | PluginError | NodeError | AgentError | AttemptCancelled
CANCELLED = Verdict(category=Category.TRANSIENT, block=Scope.NONE, rule="core.cancelled", reason="cancelled")


class Judge:
    """Never raises for an error of a plugin or a cloud: a failed attempt always gets a verdict."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def attempt(self, choice: Choice, place: Place, error: Failure) -> Verdict:
        """Of an attempt, or of a call at its zones."""
        try:
            verdict = self._plain(choice, place, error)
        except Exception as unreadable:  # an error whose fields aren't what the contract says
            verdict = self._unreadable(choice, place, unreadable)
        return self._stamped(choice, place, verdict)

    def locate(self, choice: Choice, error: CloudError | PluginError) -> Verdict:
        """Of the question for zones: a region whose API doesn't answer is left out as a whole."""
        place = Place(cloud=choice.candidate.cloud, region=choice.candidate.region)
        if isinstance(error, PluginTimeoutError):
            verdict = self._fault(choice, place, error, "core.fault.timeout", block=Scope.REGION)
            return self._stamped(choice, place, verdict)
        return self.attempt(choice, place, error)

    def name(self, choice: Choice, problem: str) -> Verdict:
        """Of a cluster's name that a cloud can't use: nothing of this cluster can be there."""
        place = Place(cloud=choice.candidate.cloud, region=choice.candidate.region)
        now, rule = self._services.clock.time(), "core.fault.name"
        return rules.unknown(
            place, choice.candidate, problem, now, rule=rule, category=Category.CONFIG, block=Scope.CLOUD
        )

    def _unreadable(self, choice: Choice, place: Place, unreadable: Exception) -> Verdict:
        where = self._services.clouds.get(place.cloud).distribution
        what = f"plugin {place.cloud!r}{f' ({where})' if where else ''} raised an error that can't be read"
        fault = PluginBrokenError(what, plugin=place.cloud, why=f"{type(unreadable).__name__}: {unreadable}")
        return self._fault(choice, place, fault, "core.fault.plugin")

    def _plain(self, choice: Choice, place: Place, error: Failure) -> Verdict:
        candidate, hooks = choice.candidate, self._services.hooks
        if isinstance(error, CloudError):
            return hooks.classify_error(place.cloud, place, candidate, error)
        if isinstance(error, NodeError | AgentError):
            said = CloudError(place.cloud, "bootstrap", code=type(error).__name__, message=str(error))
            verdict = hooks.classify_error(place.cloud, place, candidate, said)
            if verdict.category is not Category.UNKNOWN:
                return verdict
            return self._fault(choice, place, error, "core.fault.bootstrap", category=Category.UNKNOWN)
        if isinstance(error, AttemptCancelled):
            return self._fault(choice, place, error, "core.fault.deadline", category=Category.UNKNOWN)
        timed_out = isinstance(error, PluginTimeoutError)
        return self._fault(choice, place, error, "core.fault.timeout" if timed_out else "core.fault.plugin")

    def _fault(
        self,
        choice: Choice,
        place: Place,
        error: Exception,
        rule: str,
        *,
        block: Scope | None = None,
        category: Category = Category.PLUGIN,
    ) -> Verdict:
        now = self._services.clock.time()
        return rules.unknown(place, choice.candidate, str(error), now, rule=rule, category=category, block=block)

    def _stamped(self, choice: Choice, place: Place, verdict: Verdict) -> Verdict:
        lasting = any(until_fixed(block) for block in (*verdict.blocks, *verdict.blocks_after))
        fingerprint = self._services.clouds.get(place.cloud).fingerprint() if lasting else ""
        nodes = choice.request.num_nodes
        return stamped(verdict, fingerprint=fingerprint, request=choice.digest, account=place.account, nodes=nodes)
