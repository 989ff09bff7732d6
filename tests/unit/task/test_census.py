"""Every field and shape of the public task files loads to its normal form; a misspelt field is refused by line."""

from __future__ import annotations

import pytest
import yaml

from census import Shape, shapes
from census_expected import EXPECTED, accelerator_of
from skyx_core.errors import TaskFileError
from skyx_core.task import loads


def reach(value: object, path: str) -> object:
    """``resources.any_of.0.infra`` through attributes, keys and items."""
    for key in path.split("|") if path else ():
        if isinstance(value, dict):
            value = value[key]
        elif isinstance(value, list | tuple):
            value = value[int(key)]
        else:
            value = getattr(value, key)
    return value


def row(shape: Shape) -> tuple[object, str, object]:
    if accelerator_of(shape):
        return accelerator_of(shape)
    return EXPECTED[str(shape)]


def text_of(shape: Shape, sample: object) -> str:
    return "# one shape\n" + yaml.safe_dump(shape.document(sample), sort_keys=False)


def test_every_line_has_an_expectation() -> None:
    assert len(shapes()) > 180
    lines = {str(shape) for shape in shapes() if not accelerator_of(shape)}
    assert lines == set(EXPECTED)


@pytest.mark.parametrize("shape", shapes(), ids=str)
def test_shape_has_its_normal_form(shape: Shape) -> None:
    sample, path, expected = row(shape)
    task = loads(text_of(shape, sample)).tasks[0]
    found = reach(task, path)
    assert found == expected
    assert type(found) is type(expected)
    assert loads(task.to_yaml()).tasks[0] == task


@pytest.mark.parametrize("shape", [shape for shape in shapes() if shape.schema_key()], ids=str)
def test_misspelt_field_is_refused(shape: Shape) -> None:
    key = shape.schema_key()
    text = text_of(shape, row(shape)[0])
    at = text.rfind(f"{key}:")
    wrong = key[:-2] + key[-1] + key[-2] if key[-1] != key[-2] and len(key) > 4 else key + key[-1]
    with pytest.raises(TaskFileError) as caught:
        loads(text[:at] + wrong + text[at + len(key) :], file="t.yaml")
    problem = next(p for p in caught.value.problems if p.path.endswith(wrong))
    assert problem.line == text.count("\n", 0, at) + 1
    assert problem.column == at - text.rfind("\n", 0, at)
    assert problem.suggestion == key
    assert f"t.yaml:{problem.line}:{problem.column}: {problem.path}: " in str(caught.value)
