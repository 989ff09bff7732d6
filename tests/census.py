"""The census of public task files: every field and shape that must load, and small documents that hold one each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "data" / "census" / "task-format-census.txt"
_KIND = "str|int|float|bool|NoneType|dict"
_LINE = re.compile(rf"\s*\d+ (?P<path>\S+?)(?::(?P<kind>{_KIND})| (?P<empty>\{{\}}|\[\]))(?:\s|$)")
FREE = ("<name>", "<path>")
# Keys below these are the user's own.
FREE_BELOW = (
    "config",
    "envs",
    "secrets",
    "inputs",
    "outputs",
    "resources.accelerators",
    "resources.accelerator_args",
    "resources.image_id",
    "resources.labels",
    "service.readiness_probe.headers",
    "service.readiness_probe.post_data",
    "service.replica_policy.target_qps_per_replica",
    "volumes",
)
# Inside the free part, names that are known nevertheless.
KNOWN = (
    "config.docker",
    "config.docker.run_options",
    "config.kubernetes.pod_config",
    "config.kubernetes.remote_identity",
    "config.kubernetes.enable_docker",
    "config.kubernetes.enable_docker.cache_volume",
    "config.azure.remote_identity",
    "config.gcp.managed_instance_group",
    "config.gcp.managed_instance_group.run_duration",
    "config.gcp.managed_instance_group.provision_timeout",
)
NEEDED = {
    "service.readiness_probe": {"path": "/"},
    "service.tls": {"keyfile": "k", "certfile": "c"},
    "workdir": {"url": "https://example.org/r.git"},
}


@dataclass(frozen=True)
class Shape:
    """One line: ``path`` as written there, ``kind`` a Python type name, or '{}' or '[]' for a container."""

    path: str
    kind: str

    def __str__(self) -> str:
        return f"{self.path}:{self.kind}"

    def parts(self) -> list[str]:
        """The path's keys; '[]' stands for the item of a list."""
        if self.path == "{}":
            return []
        for parent in ("inputs", "outputs", "service.replica_policy.target_qps_per_replica"):
            if self.path.startswith(f"{parent}."):
                return [*parent.split("."), self.path.removeprefix(f"{parent}.")]
        return self.path.replace("[]", ".[]").split(".")

    def document(self, sample: object) -> dict[str, object]:
        """A document with ``sample`` at this path and what its neighbours need."""
        return _nest(self.parts(), sample, "")  # type: ignore[return-value]

    def schema_key(self) -> str | None:
        """The last key, if the format and not the user names it."""
        keys = [key for key in self.parts() if key != "[]"]
        if not keys or keys[-1] in FREE:
            return None
        path = ".".join(keys)
        free = any(path.startswith(f"{parent}.") for parent in FREE_BELOW)
        return keys[-1] if path in KNOWN or not free else None


def _nest(keys: list[str], sample: object, path: str) -> object:
    beside = NEEDED.get(path, {})
    if not keys:
        return {**beside, **sample} if isinstance(sample, dict) else sample
    key, *rest = keys
    if key == "[]":
        return [_nest(rest, sample, path)]
    name = {"<name>": "NAME", "<path>": "/path"}.get(key, key)
    return {**beside, name: _nest(rest, sample, f"{path}.{key}" if path else key)}


@cache
def shapes() -> tuple[Shape, ...]:
    """All lines of the census, in its order."""
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    found = []
    for line in lines:
        if line.split() and line.split()[1] == "{}":
            found.append(Shape("{}", "{}"))
            continue
        match = _LINE.match(line)
        assert match, line
        found.append(Shape(match["path"], match["kind"] or match["empty"]))
    return tuple(found)
