"""The sections of a task file beside ``resources``."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema  # noqa: TID253 - models are pydantic

from skyx_core.task.aliases import CONFIG
from skyx_core.task.mistakes import BadValue, BadValues, kind_of, nearest
from skyx_core.task.section import Also, Count, Flag, Free, Labels, Number, Ports, Rates, Section, Text, as_tuple


class GitWorkdir(Section):
    """A workdir that is cloned. ``ref``: branch, tag or commit."""

    url: Text = Field(min_length=1)
    ref: Text | None = None


class Storage(Section):
    """A bucket under a path of the nodes."""

    name: Text | None = None
    source: Annotated[
        tuple[Text, ...],
        BeforeValidator(as_tuple),
        WithJsonSchema(
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]}
        ),
    ] = ()
    store: Annotated[Text | None, BeforeValidator(lambda v: v.lower() if _plain_word(v) else v)] = None
    mode: Annotated[
        Literal["MOUNT", "COPY", "MOUNT_CACHED"] | None,
        BeforeValidator(lambda v: v.upper() if isinstance(v, str) else v),
    ] = None
    persistent: Flag | None = None
    config: Free | None = None


def _plain_word(value: object) -> bool:
    return isinstance(value, str) and "$" not in value


class Probe(Section):
    """How a replica shows that it is ready."""

    path: Text
    initial_delay_seconds: Number | None = None
    timeout_seconds: Number | None = None
    headers: Labels = None
    post_data: object = None


class ReplicaPolicy(Section):
    """How the number of replicas follows the load."""

    min_replicas: Count = 1
    max_replicas: Count | None = None
    num_overprovision: Count | None = None
    target_qps_per_replica: Rates = None
    target_queue_length: Number | None = None
    queue_length_threshold: Count | None = None
    qps_window_size: Count | None = None
    upscale_delay_seconds: Number | None = None
    downscale_delay_seconds: Number | None = None
    dynamic_ondemand_fallback: Flag | None = None
    base_ondemand_fallback_replicas: Count | None = None
    spot_placer: Text | None = None


class Tls(Section):
    """Files for encrypted traffic."""

    keyfile: Text
    certfile: Text


class Service(Section):
    """A served model. Kept; nothing serves it yet."""

    readiness_probe: Annotated[
        Probe | None,
        BeforeValidator(lambda v: {"path": v} if isinstance(v, str) else v),
        Also("string"),
    ] = None
    replicas: Count | None = None
    replica_policy: ReplicaPolicy | None = None
    load_balancing_policy: Text | None = None
    ports: Ports = None
    tls: Tls | None = None


class Pool(Section):
    """Workers kept for managed jobs. Kept; nothing runs it yet."""

    workers: Count | None = None
    min_workers: Count | None = None
    max_workers: Count | None = None
    queue_length_threshold: Count | None = None
    upscale_delay_seconds: Number | None = None
    downscale_delay_seconds: Number | None = None


def shape(value: object) -> str | None:
    """Which of the two shapes a field has that is text or a mapping."""
    if isinstance(value, str):
        return "text"
    return "mapping" if isinstance(value, dict | Section) else None


def check_config(value: object) -> dict[str, object]:
    """Settings of clouds, free but for near misses of names that are known."""
    if not isinstance(value, dict):
        raise BadValue(f"expected a mapping, got {kind_of(value)}")
    mistakes = _misspelt(value, CONFIG[""], ())
    for section, body in value.items():
        if section == "docker":
            mistakes += _docker(body)
        elif isinstance(body, dict):
            mistakes += _misspelt(body, CONFIG["*"], (section,))
            for key, inner in body.items():
                if f"*.{key}" in CONFIG and isinstance(inner, dict):
                    mistakes += _misspelt(inner, CONFIG[f"*.{key}"], (section, key))
    if mistakes:
        raise BadValues(mistakes)
    return value


def _misspelt(body: dict[str, object], names: frozenset[str], at: tuple[str, ...]) -> list[BadValue]:
    found = []
    for key in body:
        near = "" if key in names else nearest(key, names)
        if near and _close(key, near):
            found.append(BadValue(f"unknown field {key!r}", suggestion=near, at=(*at, key), on_key=True))
    return found


def _close(one: str, other: str) -> bool:
    from difflib import SequenceMatcher

    return abs(len(one) - len(other)) <= 2 and SequenceMatcher(None, one, other).ratio() >= 0.8


def _docker(body: object) -> list[BadValue]:
    if body is None:
        return []
    if not isinstance(body, dict):
        return [BadValue(f"expected a mapping, got {kind_of(body)}", at=("docker",))]
    names = CONFIG["docker"]
    found = [
        BadValue(f"unknown field {key!r}", suggestion=nearest(key, names), at=("docker", key), on_key=True)
        for key in body
        if key not in names
    ]
    options = body.get("run_options")
    if options is not None and not isinstance(options, str):
        if not isinstance(options, list):
            found.append(BadValue(f"expected a list of options, got {kind_of(options)}", at=("docker", "run_options")))
        elif not all(isinstance(option, str) for option in options):
            found.append(BadValue("expected a list of text", at=("docker", "run_options")))
    return found
