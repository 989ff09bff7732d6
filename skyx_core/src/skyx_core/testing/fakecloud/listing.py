"""Paged lists, and what may be concluded from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from skyx_core.api import CloudError, ClusterHandle, Inventory, Node, NodeState, Observation, Place, TeardownResult
from skyx_core.testing.fakecloud.client import objects
from skyx_core.testing.fakecloud.reading import View, handle_of, node_of

Fetch = Callable[[str], Mapping[str, object]]  # the page's mark ("" = first) -> the answer


def list_all(fetch: Fetch, limit: int) -> tuple[list[View], str]:
    """(what all pages show, why some may be missing; empty = all are there). Never raises ``CloudError``."""
    views: list[View] = []
    mark = ""
    for page in range(1, limit + 1):
        try:
            answer = fetch(mark)
        except CloudError as error:
            return views, f"page {page} of the list failed: {error}"
        views.extend(objects(answer, "nodes"))
        if answer.get("unreachable"):
            return views, f"unreachable: {answer['unreachable']}"
        mark = str(answer.get("next", ""))
        if not mark:
            return views, ""
    return views, f"the list has more than {limit} pages"


def nodes_of(views: Iterable[View], *, zones: bool) -> Iterator[Node]:
    """Those that are skyx's."""
    return (node for view in views if (node := node_of(view, zones=zones)) is not None)


def observe(listed: tuple[list[View], str], *, zones: bool) -> Observation:
    """By rank; an ended node is left out where a newer one has its rank."""
    views, missing = listed
    found = list(nodes_of(views, zones=zones))
    live = {node.rank for node in found if node.state is not NodeState.GONE}
    shown = [node for node in found if node.state is not NodeState.GONE or node.rank not in live]
    ordered = sorted(shown, key=lambda node: (node.rank, node.id))
    return Observation(complete=not missing, nodes=tuple(ordered), reason=missing)


def ended(seen: Observation, over: Sequence[NodeState]) -> TeardownResult:
    """``done`` if the list is complete and every node is in one of the states ``over``."""
    remaining = tuple(node.id for node in seen.nodes if node.state not in over)
    return TeardownResult(
        done=seen.complete and not remaining,
        remaining=remaining,
        reason=seen.reason or (f"{len(remaining)} nodes have not ended yet" if remaining else ""),
    )


def complete(cloud: str, seen: Observation) -> Observation:
    """Raises ``CloudError`` when something may be missing: nothing may be made on the ground of such a list."""
    if not seen.complete:
        raise CloudError(cloud, "list", "ListIncomplete", seen.reason)
    return seen


def inventories(
    places: Sequence[Place], listed: Callable[[Place], tuple[list[View], str]], *, zones: bool
) -> Iterator[Inventory]:
    """One per place; a list that failed spoils only its own."""
    for place in places:
        views, missing = listed(place)
        owned = tuple(_owned(views, zones))
        yield Inventory(place=place, complete=not missing, error=missing, nodes=owned)


def _owned(views: Iterable[View], zones: bool) -> Iterator[tuple[ClusterHandle, Node]]:
    for view in views:
        handle, node = handle_of(view), node_of(view, zones=zones)
        if handle is not None and node is not None:
            yield handle, node
