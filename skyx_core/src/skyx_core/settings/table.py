"""The known settings. Reading, checking and the reference in the docs go by this one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from skyx_core.results import Json


class BadValue(ValueError):
    """Says what would be right."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. ``parse`` takes what YAML or a flag gave, ``from_text`` what a variable gave; or ``BadValue``."""

    key: str
    default: Json
    help: str
    kind: str  # for the docs: text, seconds, yes/no, names, or the choices
    parse: Callable[[object], Json]
    from_text: Callable[[str], Json]
    flag: str = ""
    also: str = ""  # a shorter variable

    @property
    def variable(self) -> str:
        return f"SKYX_{self.key.upper()}"

    @property
    def variables(self) -> tuple[str, ...]:
        return (self.variable, self.also) if self.also else (self.variable,)


def _text(value: object) -> Json:
    if not isinstance(value, str) or not value:
        raise BadValue("must be text")
    return value


def _seconds(value: object) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**9:
        raise BadValue("must be a number of seconds, 0 or more")
    return float(value)


def _seconds_text(text: str) -> Json:
    try:
        return _seconds(float(text))
    except ValueError:
        raise BadValue("must be a number of seconds, 0 or more") from None


def _yes_no(value: object) -> Json:
    if not isinstance(value, bool):
        raise BadValue("must be true or false")
    return value


def _yes_no_text(text: str) -> Json:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if text.lower() not in words:
        raise BadValue("must be true or false (or 1, 0, yes, no, on, off)")
    return words[text.lower()]


def _names(value: object) -> Json:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) and name.strip() for name in value):
        raise BadValue("must be a list of names, like [a, b]")
    return [str(name).strip() for name in value]


def _names_text(text: str) -> Json:
    return [name.strip() for name in text.split(",") if name.strip()]


def _one_of(*choices: str) -> Callable[[object], Json]:
    def parse(value: object) -> Json:
        if value not in choices:
            raise BadValue(f"must be one of {', '.join(choices)}")
        return str(value)

    return parse


def _choice(key: str, default: str, help: str, *choices: str, flag: str = "") -> Setting:  # noqa: A002
    parse = _one_of(default, *choices)
    return Setting(key, default, help, " | ".join((default, *choices)), parse, parse, flag)


def _time(key: str, default: float, help: str, flag: str = "", also: str = "") -> Setting:  # noqa: A002
    return Setting(key, default, help, "seconds", _seconds, _seconds_text, flag, also)


def _list(key: str, help: str) -> Setting:  # noqa: A002
    return Setting(key, [], help, "names", _names, _names_text)


_ROWS = (
    Setting("executor", "", "the executor that runs jobs; unset: the first installed that fits", "text", _text, _text),
    _time("wait_seconds", 600.0, "how long a command waits for a cluster that is busy", "--wait", "SKYX_WAIT"),
    _choice(
        "on_interrupt",
        "ask",
        "what Ctrl-C during a launch does with what was made; without a terminal, ask means cleanup",
        "cleanup",
        "keep",
        flag="--on-interrupt",
    ),
    _choice("progress", "auto", "how progress is shown", "plain", "json", "quiet", flag="--progress"),
    _choice(
        "optimize", "cost", "what ranks candidates: the price, or the speed of accelerators", "time", flag="--optimize"
    ),
    _choice("color", "auto", "when output is coloured", "always", "never", flag="--color"),
    Setting("input", True, "whether questions may be asked", "yes/no", _yes_no, _yes_no_text, "--no-input"),
    _list("disable_plugins", "plugins that are never loaded"),
    _list("disable_clouds", "clouds that are never used"),
    _time("attempt_timeout_s", 900.0, "how long one attempt to make a cluster may take"),
    _time("teardown_timeout_s", 600.0, "how long stop and down wait for a cloud to be done"),
    _time("call_timeout_s", 60.0, "how long one call into a plugin may take"),
    _time("retry_pause_s", 30.0, "the pause between the rounds of --retry-until-up"),
)

TABLE: Mapping[str, Setting] = MappingProxyType({row.key: row for row in _ROWS})
SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "clouds": "settings of each cloud by its name, as its driver documents them",
        "executors": "settings of each executor by its name, as it documents them",
    }
)

# Variables that skyx gives to jobs (a job may run skyx itself), and those that steer a process, not a command.
NOT_SETTINGS = frozenset(
    {
        "SKYX_NODE_RANK", "SKYX_NODE_IPS", "SKYX_NUM_NODES", "SKYX_NUM_GPUS_PER_NODE", "SKYX_TASK_ID",
        "SKYX_INTERNAL_JOB_ID", "SKYX_CLUSTER_INFO", "SKYX_SETUP_NODE_IPS", "SKYX_SETUP_NODE_RANK",
        "SKYX_SETUP_NUM_GPUS_PER_NODE", "SKYX_HOME", "SKYX_FAILPOINT", "SKYX_TEST_CLOCK", "SKYX_TEST_DEPTH",
        "SKYX_TRACE_HOOKS", "SKYX_LOCAL_LEDGER", "SKYX_DEBUG",
    }
)  # fmt: skip
