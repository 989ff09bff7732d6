"""What a client submits: checked once, then stored in the job's folder."""

from __future__ import annotations

import json

from skyx_agent import values
from skyx_agent.errors import AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from skyx_agent.values import Json

STRING_LIMIT = 128 * 1024 - 1  # MAX_ARG_STRLEN of Linux, less the ending NUL
TOTAL_LIMIT = 1 << 20  # well under a quarter of the usual 8 MiB stack, room for our own variables
DEFAULT_WORKDIR = "~/skyx_workdir"


class JobSpec:
    """One run of a task. ``run``: one script, one per rank (None = nothing to do for it), or None."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self.submit_id = values.text(data, "submit_id")
        self.task_id = values.text(data, "task_id", "")
        self.name = values.maybe_text(data, "name")
        self.num_nodes = values.whole(data, "num_nodes", 1)
        self.run = _run(data.get("run"), self.num_nodes)
        self.setup = values.maybe_text(data, "setup")
        self.envs = values.texts(data, "envs")
        self.secrets = values.texts(data, "secrets")
        self.accelerators = _accelerators(data)
        self.workdir = values.text(data, "workdir", DEFAULT_WORKDIR) or DEFAULT_WORKDIR
        self.runner = values.words(data, "runner") or None
        self._check()

    def _check(self) -> None:
        if not self.submit_id:
            raise AgentError("invalid", "submit_id must not be empty")
        if self.num_nodes < 1:
            raise AgentError("invalid", f"num_nodes must be 1 or more, not {self.num_nodes}")
        for script in (self.setup, *self.scripts()):
            if script is not None:
                encode(script, "a script of the job")
        encode(self.workdir, "workdir")
        for key, label in (("submit_id", self.submit_id), ("task_id", self.task_id), ("name", self.name or "")):
            if not _is_unicode(label):
                raise AgentError("invalid", f"{key} is not valid Unicode text")
        check_environment(self.envs, self.secrets)

    def scripts(self) -> list[str | None]:
        """The scripts of the ranks; one entry when all ranks share one."""
        return self.run if isinstance(self.run, list) else [self.run]

    def script(self, rank: int) -> str | None:
        return self.run[rank] if isinstance(self.run, list) else self.run

    @property
    def has_run(self) -> bool:
        return self.runner is not None or any(script is not None for script in self.scripts())

    @property
    def gpus(self) -> float:
        return sum(self.accelerators.values())

    def dump(self) -> bytes:
        return json.dumps(self._fields()).encode("ascii")

    def dump_without_secrets(self) -> bytes:
        return json.dumps({**self._fields(), "secrets": {}}).encode("ascii")

    def _fields(self) -> Json:
        return dict(vars(self))


def encode(value: str, what: str) -> bytes:
    """The bytes of a text; raw bytes of the client's system come as lone surrogates."""
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise AgentError(
            "invalid", f"{what} holds a character that has no bytes (U+{ord(value[error.start]):04X})"
        ) from error


def check_environment(envs: Mapping[str, str], secrets: Mapping[str, str]) -> None:
    """Refuses, by name and never by value, what the kernel can't hand to a process."""
    total = 0
    for key, value in (*envs.items(), *secrets.items()):
        if not (key.isascii() and key.isidentifier()):
            raise AgentError("invalid", f"{key!r} can't be the name of an environment variable")
        if values.NUL in value:
            raise AgentError("invalid", f"the value of {key} holds a NUL character, which no process can be given")
        size = len(key) + 1 + len(encode(value, f"the value of {key}"))
        total += size + 9
        if size > STRING_LIMIT:
            raise AgentError(
                "too_large", f"{key} takes {size} bytes; one variable can have {STRING_LIMIT}", "put it in a file"
            )
        if total > TOTAL_LIMIT:
            raise AgentError(
                "too_large",
                f"envs and secrets together take more than {TOTAL_LIMIT} bytes; {key} is the one that is too much",
                "put large values in files",
            )


def _is_unicode(label: str) -> bool:
    try:
        label.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _run(value: object, num_nodes: int) -> str | list[str | None] | None:
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(script is None or isinstance(script, str) for script in value):
        raise values.bad("run", "a text, null, or a list of these per rank", value)
    if len(value) != num_nodes:
        raise AgentError("invalid", f"run has {len(value)} scripts for {num_nodes} ranks")
    return value


def _accelerators(data: Mapping[str, object]) -> dict[str, float]:
    found = {}
    for name in values.mapping(data, "accelerators"):
        count = values.number(values.mapping(data, "accelerators"), name, 1.0)
        if count < 0 or (count > 1 and count != int(count)):
            raise AgentError(
                "invalid",
                f"a job can't have {count:g} of accelerator {name}: it takes whole ones, or a part of a single one",
                f"ask for {max(0, int(count))}, {max(0, int(count)) + 1}, or a number between 0 and 1",
            )
        found[name] = count
    return found
