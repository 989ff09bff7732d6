"""The contracts with plugins agree with one another."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skyx_core.errors
import skyx_core.models
from skyx_core import api, drivers, hookspecs
from skyx_core.builtin_verbs import BuiltinVerbs
from skyx_core.hooks import Hooks

CORE = Path(str(api.__file__)).parent
VERBS: dict[str, Callable[..., Any]] = {
    "skyx_provision": drivers.CloudDriver.provision,
    "skyx_teardown": drivers.CloudDriver.teardown,
    "skyx_submit_job": drivers.Executor.submit_job,
}


def specs() -> dict[str, Callable[..., Any]]:
    return {name: item for name, item in vars(hookspecs).items() if name.startswith("skyx_")}


def parameters(function: Callable[..., Any], *, without: int = 0) -> list[tuple[str, str]]:
    found = inspect.signature(function).parameters.values()
    return [(item.name, str(item.annotation)) for item in found][without:]


def returned(function: Callable[..., Any]) -> str:
    return str(inspect.signature(function).return_annotation)


@pytest.mark.parametrize("name", sorted(VERBS))
def test_a_verb_has_the_arguments_of_the_method_behind_it(name: str) -> None:
    spec, method = specs()[name], VERBS[name]
    assert parameters(spec, without=1) == parameters(method, without=1)
    assert returned(spec) == returned(method)


@pytest.mark.parametrize("name", sorted(specs()))
def test_each_hook_has_its_typed_call(name: str) -> None:
    call = getattr(Hooks, name.removeprefix("skyx_"))
    needed = [item for item in inspect.signature(call).parameters.values() if item.kind is not item.KEYWORD_ONLY]
    assert [(item.name, str(item.annotation)) for item in needed[1:]] == parameters(specs()[name])


@pytest.mark.parametrize("name", sorted(specs()))
def test_each_verb_has_its_builtin_which_comes_last(name: str) -> None:
    first_result = specs()[name].skyx_spec["firstresult"]  # type: ignore[attr-defined]
    builtin = getattr(BuiltinVerbs, name, None)
    assert (builtin is not None) == bool(first_result)
    if builtin is not None:
        assert parameters(builtin, without=1) == parameters(specs()[name])
        assert builtin.skyx_impl["trylast"]


@pytest.mark.parametrize("name", sorted(specs()))
def test_each_hook_says_what_it_is_for(name: str) -> None:
    assert len(specs()[name].__doc__ or "") > 20


def type_checking_imports() -> dict[str, str]:
    """Name -> module, of what type checkers see."""
    tree = ast.parse((CORE / "api.py").read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {str(alias.asname): str(node.module) for node in imports for alias in node.names}


def test_type_checkers_see_what_is_loaded() -> None:
    assert sorted(type_checking_imports()) == list(api.__all__)
    assert dir(api) == list(api.__all__)
    for name, module in type_checking_imports().items():
        assert module == f"skyx_core.{api._MODULE_OF[name]}"


@pytest.mark.parametrize("name", api.__all__)
def test_every_name_of_the_surface_loads(name: str) -> None:
    assert getattr(api, name) is not None


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(api, "nothing")  # noqa: B009 - mypy would object to the attribute


def test_the_surface_holds_every_error_model_and_driver_contract() -> None:
    own = {
        name
        for module in (skyx_core.errors, drivers)
        for name, item in vars(module).items()
        if isinstance(item, type) and item.__module__ == module.__name__
    }
    assert (own | set(skyx_core.models.__all__)) - set(api.__all__) == set()


def test_no_contract_takes_loose_keywords() -> None:
    for contract in (drivers.CloudDriver, drivers.Executor, drivers.SupportsStop, drivers.SupportsPorts):
        for name, method in inspect.getmembers(contract, inspect.isfunction):
            kinds = [item.kind for item in inspect.signature(method).parameters.values()]
            assert inspect.Parameter.VAR_KEYWORD not in kinds, f"{contract.__name__}.{name}"
