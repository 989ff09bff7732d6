"""Clouds of which only a catalogue is here: they can be planned over, not launched on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from skyx_core.models import Candidate, Capability, Request, WhyNot
from skyx_core.plan import needs
from skyx_core.plan.planner import Source

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

_HINT = "'skyx plan --catalogued' plans over its catalogue; nothing can be launched there"


def catalogued(services: Services, launchable: frozenset[str]) -> Iterator[Source]:
    """Clouds that can't be used here, but that have a catalogue; what they could do isn't known, so all is assumed."""
    from skyx_core.catalog.catalogue import imported_names

    everything = frozenset(Capability)
    abilities = frozenset({needs.STOP, needs.SELF_END, needs.PORTS})
    for name in imported_names(services.dirs):
        if name not in launchable:
            known = services.clouds.catalogue(name)
            yield Source(name, everything, abilities, known.offers, _lacks_nothing, known.why_nothing)


def _lacks_nothing(candidate: Candidate, request: Request) -> Sequence[WhyNot]:
    del candidate, request
    return ()


def told_of_catalogues(services: Services, reasons: Sequence[WhyNot]) -> Iterator[WhyNot]:
    """For a cloud that can't be used, but that could be planned over."""
    from skyx_core.catalog.catalogue import imported_names

    here = imported_names(services.dirs) if reasons else []
    installed = services.plugins.names("cloud") if here else []
    for why in reasons:
        if why.subject not in here:
            yield why
        elif why.subject in installed:
            yield why.model_copy(update={"fix": f"{why.fix}{'; ' if why.fix else ''}{_HINT}"})
        else:
            reason = "no installed plugin offers this cloud; only a catalogue of it is here"
            yield why.model_copy(update={"reason": reason, "fix": _HINT})
