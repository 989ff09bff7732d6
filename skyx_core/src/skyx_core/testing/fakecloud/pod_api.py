"""The pod-like cloud: contexts, one call per object, unique names instead of tokens, labels; nothing can be stopped.

``/api/contexts/<context>/pods[/<name>]`` with GET, POST, PATCH and DELETE. Without room a pod is made and stays
pending until there is some.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from skyx_core.testing.fakecloud.catalogue import NOT_SOLD, POD_CONTEXTS, POD_TYPES, machine_named, price
from skyx_core.testing.fakecloud.refusals import Body, Refusal, invalid, mapping, text
from skyx_core.testing.fakecloud.world import GONE, TERMINATING, FakeNode, Spec, World

Answer = dict[str, object]
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LABEL = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
_PATH = re.compile(r"/api/contexts/([^/]+)/pods(?:/([^/]+))?")


class PodApi:
    """The calls. To be called with the world's lock held."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.mutating = frozenset({"CreatePod", "DeletePod", "PatchPod"})
        self.lists = frozenset({"ListPods"})

    def route(self, method: str, path: str, query: Mapping[str, str]) -> tuple[str, Callable[[Body], Answer]]:
        """The call's name, and the function that carries it out."""
        if (method, path) == ("GET", "/api/contexts"):
            return "ListContexts", lambda _: {"contexts": list(POD_CONTEXTS)}
        match = _PATH.fullmatch(path)
        if match is None:
            raise Refusal(404, "NotFound", f"{path} is no resource of this cloud")
        context, name = match.group(1), match.group(2) or ""
        if context not in POD_CONTEXTS:
            raise Refusal(404, "NotFound", f"there is no context {context!r}")
        calls: Mapping[tuple[str, bool], tuple[str, Callable[[Body], Answer]]] = {
            ("GET", False): ("ListPods", lambda _: self._list(context, query)),
            ("POST", False): ("CreatePod", lambda body: self._create(context, body)),
            ("GET", True): ("GetPod", lambda _: self._get(context, name).view()),
            ("PATCH", True): ("PatchPod", lambda body: self._patch(context, name, body)),
            ("DELETE", True): ("DeletePod", lambda _: self._delete(context, name)),
        }
        if (method, bool(name)) not in calls:
            raise Refusal(405, "MethodNotAllowed", f"{method} is not allowed on {path}")
        return calls[method, bool(name)]

    def _existing(self, context: str) -> dict[str, FakeNode]:
        return {
            node.spec.name: node
            for node in self._world.nodes.values()
            if node.spec.region == context and node.state != GONE
        }

    def _get(self, context: str, name: str) -> FakeNode:
        node = self._existing(context).get(name)
        if node is None:
            raise Refusal(404, "NotFound", f"pods {name!r} not found in {context}")
        return node

    def _create(self, context: str, body: Body) -> Answer:
        name, kind, labels = text(body, "name"), text(body, "type"), mapping(body, "labels")
        machine = machine_named(kind)
        if not _NAME.fullmatch(name):
            raise invalid(f"{name!r} is no name for a pod: at most 63 of a-z, 0-9 and '-'")
        for key, value in labels.items():
            if not _LABEL.fullmatch(value):
                raise invalid(f"label {key}={value!r}: at most 63 of A-Z, a-z, 0-9, '-', '_' and '.'")
        if machine not in POD_TYPES or (context, kind) in NOT_SOLD:
            raise Refusal(422, "UnsupportedType", f"there is no {kind} in {context}")
        if name in self._existing(context):
            raise Refusal(409, "AlreadyExists", f"pods {name!r} already exists in {context}")
        usd = price(context, machine, spot=False)
        spec = Spec(context, context, kind, False, usd, labels, mapping(body, "annotations"), name)
        return self._world.make([spec], wait_for_room=True)[0].view()

    def _list(self, context: str, query: Mapping[str, str]) -> Answer:
        wanted = [part.partition("=") for part in query.get("labels", "").split(",") if part]
        found = [
            node.view()
            for node in self._world.listed()
            if node.spec.region == context
            and node.state != GONE
            and all(key in node.spec.tags and (not eq or node.spec.tags[key] == value) for key, eq, value in wanted)
        ]
        try:
            first, size = int(query.get("continue") or 0), int(query.get("limit") or self._world.timing.page_size)
        except ValueError:
            raise invalid("continue and limit are numbers") from None
        rest = first + size
        return {"nodes": found[first:rest], "next": str(rest) if rest < len(found) else "", "unreachable": []}

    def _patch(self, context: str, name: str, body: Body) -> Answer:
        """``end_with``: the pod that this one goes with; a pod that ends from inside is deleted then."""
        node, owner = self._get(context, name), self._get(context, text(body, "end_with"))
        node.on_shutdown, node.linked_to = "terminate", owner.id
        return node.view()

    def _delete(self, context: str, name: str) -> Answer:
        node = self._get(context, name)
        if node.state != TERMINATING:
            self._world.terminate(node, "Deleted")
        return node.view()
