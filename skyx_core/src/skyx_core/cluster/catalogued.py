"""Clouds of which only a catalogue is here: they can be planned over, not launched on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from skyx_core.catalog.near import near
from skyx_core.models import Candidate, Capability, Request, WhyNot
from skyx_core.plan import needs
from skyx_core.plan.planner import Source

if TYPE_CHECKING:
    from skyx_core.cluster.services import Services

_HINT = "'skyx plan --catalogued' plans over its catalogue; nothing can be launched there"


def catalogued(services: Services, launchable: frozenset[str], wanted: bool | frozenset[str]) -> Iterator[Source]:
    """Clouds that can't be used here, but that have a catalogue; what they could do isn't known, so all is assumed.
    ``wanted``: which; True = all of them.
    """
    if not wanted:
        return
    from skyx_core.catalog.catalogue import imported_names

    everything = frozenset(Capability)
    abilities = frozenset({needs.STOP, needs.SELF_END, needs.PORTS})
    for name in imported_names(services.dirs):
        if name not in launchable and (wanted is True or name in wanted):
            known = services.clouds.catalogue(name)
            yield Source(name, everything, abilities, known.offers, _lacks_nothing, known.why_nothing)


def _lacks_nothing(candidate: Candidate, request: Request) -> Sequence[WhyNot]:
    del candidate, request
    return ()


def told_of_catalogues(services: Services, reasons: Sequence[WhyNot], planned: frozenset[str]) -> Iterator[WhyNot]:
    """Why clouds can't be used; of one that could be planned over, that too. ``planned``: those that are planned over
    already, of which one that isn't installed needs no reason.
    """
    from skyx_core.catalog.catalogue import imported_names

    here = imported_names(services.dirs) if reasons else []
    installed = services.plugins.names("cloud") if reasons else []
    for why in reasons:
        if why.subject in installed:
            more = f"{why.fix}{'; ' if why.fix else ''}{_HINT}"
            yield why.model_copy(update={"fix": more}) if why.subject in here and why.subject not in planned else why
        elif why.subject not in here:
            yield _meant(why, [*installed, *here, *services.rulebooks.names()])
        elif why.subject not in planned:
            reason = "no installed plugin offers this cloud; only a catalogue of it is here"
            yield why.model_copy(update={"reason": reason, "fix": _HINT})


def _meant(why: WhyNot, known: Sequence[str]) -> WhyNot:
    """With the nearest name of a cloud of which something is known here, for a name that nothing knows."""
    close = near(why.subject, known, 1) if why.subject not in known else []
    return why.model_copy(update={"fix": f"did you mean {close[0]!r}?"}) if close else why
