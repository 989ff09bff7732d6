"""Whatever a task file holds: it loads, or its mistakes are named; and what loads survives a round trip."""

from __future__ import annotations

import contextlib

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from census import shapes
from depth import depth
from schema_check import accepts
from skyx_core.errors import TaskFileError
from skyx_core.task import Task, TaskFile, json_schema, load, loads

DEPTH = depth(200, 10_000)
SETTINGS = settings(max_examples=DEPTH, deadline=None, suppress_health_check=list(HealthCheck))
SCHEMA = json_schema()

WORDS = sorted({key for shape in shapes() for key in shape.parts() if key != "[]"} | set(Task.model_fields))
texts = st.text(max_size=12) | st.sampled_from(
    ["H100:8", "a/b/c", "4+", "8000-8010", "$A", "${A}", "docker:x", "1TB", "x\ny"]
)
scalars = st.none() | st.booleans() | st.integers(-5, 70000) | st.floats(allow_nan=True) | texts
keys = st.sampled_from(WORDS) | st.text(max_size=8)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)
documents = st.dictionaries(st.sampled_from(sorted(Task.model_fields)), trees, max_size=5) | trees
tokens = st.sampled_from(
    [
        *"a[]{},'\"#~\t\0\n\ufeff\u2028",
        "run",
        ": ",
        "- ",
        "? ",
        "\n  ",
        "\r\n",
        "&a ",
        "*a",
        "!!",
        "!!str ",
        "<<: ",
        "|\n",
        ">-\n",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        ".nan",
        "0o7",
        "1:30",
    ]
)


def outcome(text: str) -> TaskFile | TaskFileError:
    try:
        return loads(text, file="f")
    except TaskFileError as error:
        return error


def check(text: str) -> TaskFile | None:
    """The file, or None if it was refused as it should be."""
    result = outcome(text)
    if isinstance(result, TaskFile):
        return result
    assert result.problems
    assert all(problem.line >= 1 and problem.column >= 1 for problem in result.problems)
    lines = sum(text.count(end) for end in "\n\r\x85\u2028\u2029")
    assert all(problem.line <= lines + 2 for problem in result.problems)
    assert str(result).count("\n") == len(result.problems) - 1
    return None


@SETTINGS
@given(st.text() | st.lists(tokens, max_size=25).map("".join))
def test_any_text_is_valid_or_refused(text: str) -> None:
    check(text)


@SETTINGS
@given(st.binary(max_size=200) | st.text().map(lambda t: t.encode("utf-16", "surrogatepass")))
def test_any_bytes_are_valid_or_refused(tmp_path_factory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    with contextlib.suppress(TaskFileError):
        load(path)


@SETTINGS
@given(documents)
def test_any_structure_is_valid_or_refused(document: object) -> None:
    file = check(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))
    for task in file.tasks if file else ():
        assert loads(task.to_yaml()).tasks[0] == task
        assert task.requests()


names = st.from_regex(r"[A-Z_][A-Z0-9_]{0,4}", fullmatch=True)
plain = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
some_text = plain | st.lists(st.sampled_from(["$A", "${B}", "$", "a", " ", "\n", "'", '"', "#", ": ", "\r", "\t"])).map(
    "".join
)
entry = st.fixed_dictionaries(
    {},
    optional={
        "infra": st.sampled_from(["one", "one/r", "one/r/z", "one/*/z", "k8s/a/b", "*/r", None]),
        "cpus": st.integers(1, 512) | st.sampled_from(["4+", 0.1, "0.1+", None]) | st.floats(0.1, 1000),
        "memory": st.integers(1, 4096) | st.sampled_from(["32+", "512MB", "7.5GB+"]),
        "accelerators": st.sampled_from(
            ["H100:8", "a10g", {"L4": None, "t4:2": None}, ["V100", "K80:3"], "V100:0.25", None]
        ),
        "use_spot": st.booleans() | st.none(),
        "disk_size": st.integers(1, 10**5) | st.sampled_from(["1TB", "1024GB"]),
        "ports": st.lists(st.integers(1, 65535) | st.sampled_from(["8000-8010", "22"]), max_size=4)
        | st.just("1-65535"),
        "image_id": st.sampled_from(["docker:x", "a$A", {"r": "i${B}", "s": "j"}, None]),
        "labels": st.dictionaries(plain, plain | st.integers() | st.booleans(), max_size=2),
        "autostop": st.sampled_from([5, 0, True, False, "2h", {"down": True}, None, {"idle_minutes": 1}]),
        "job_recovery": st.sampled_from(["FAILOVER", {"max_restarts_on_errors": 2}, None]),
        "disk_tier": st.sampled_from(["best", "low", None]),
        "accelerator_args": st.just({"tpu_vm": True, "v": "x"}),
    },
)
resources = st.tuples(entry, st.sampled_from(["any_of", "ordered"]), st.lists(entry, max_size=3)).map(
    lambda parts: {**parts[0], parts[1]: parts[2]}
)
tasks = st.fixed_dictionaries(
    {
        "envs": st.dictionaries(
            names | st.sampled_from("AB"), some_text | st.none() | st.integers() | st.booleans(), max_size=3
        )
    },
    optional={
        "name": some_text | st.none(),
        "num_nodes": st.integers(1, 9),
        "workdir": some_text | st.just({"url": "u", "ref": "$A"}),
        "resources": resources | st.none(),
        "secrets": st.dictionaries(names, some_text | st.none(), max_size=2),
        "file_mounts": st.dictionaries(
            some_text, some_text | st.just({"source": ["a", "$B"], "mode": "copy"}), max_size=2
        ),
        "setup": some_text,
        "run": some_text,
        "service": st.sampled_from([{"readiness_probe": "/$A"}, {"replicas": 2}, None]),
        "config": st.just({"kubernetes": {"pod_config": {"spec": {"x": ["$A", 1, None]}}}}),
        "volumes": st.just({"/v": "n", "/w": {"size": 1}}),
    },
)


@SETTINGS
@given(tasks)
def test_round_trip_keeps_every_valid_task(data: dict[str, object]) -> None:
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    file = check(text)
    if file is None:  # an env put an impossible value in place
        return
    task = file.tasks[0]
    again = loads(task.to_yaml()).tasks[0]
    assert again == task
    assert again.requests() == task.requests()
    assert again.to_yaml() == task.to_yaml()
    assert accepts(SCHEMA, data), "the schema refuses what loads"
    assert accepts(SCHEMA, yaml.safe_load(task.to_yaml()))
