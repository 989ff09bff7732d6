"""What may import what."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "skyx_core" / "src" / "skyx_core"
AGENT = ROOT / "skyx_core" / "src" / "skyx_agent"


def lint(config: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--config", config, "--cache-dir", cache],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=ROOT,
    )


def test_the_import_contracts_are_kept(tmp_path: Path) -> None:
    result = lint(ROOT / ".importlinter", tmp_path)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


def test_a_broken_contract_would_be_noticed(tmp_path: Path) -> None:
    text = (ROOT / ".importlinter").read_text()
    for old, new in (
        ("ignore_imports =\n    skyx_core.loading -> stevedore\n", ""),
        ("    skyx_core.plan\n    skyx_core.failover\n", "    skyx_core.state\n"),
        ("    skyx_local.** -> skyx_core.api\n", "    skyx_local.** -> skyx_core.errors\n"),
        ("    models\n    calls", "    calls"),
    ):
        assert old in text
        text = text.replace(old, new)
    config = tmp_path / "importlinter"
    config.write_text(text)
    output = lint(config, tmp_path / "cache").stdout
    for start in ("Each layer of core", "A plugin imports", "Planning, failover", "Only the loading of plugins"):
        assert any(line.startswith(start) and "BROKEN" in line for line in output.splitlines()), (start, output)


def imports_of(file: Path) -> Iterator[str]:
    """Every module imported anywhere in a file, also inside functions, with its dots."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def users_of(module: str, folder: Path = CORE) -> set[str]:
    return {
        str(file.relative_to(folder))
        for file in folder.rglob("*.py")
        if any(name == module or name.startswith(f"{module}.") for name in imports_of(file))
    }


def test_entry_points_are_read_in_one_place() -> None:
    assert users_of("importlib.metadata") == {"index.py", "loading.py"}
    assert users_of("pkg_resources") == set()


def test_pluggy_is_known_to_the_hooks_only() -> None:
    assert users_of("pluggy") == {"hooks.py", "hookspecs.py", "listeners.py"}


def test_core_does_not_use_the_surface_that_it_offers_to_plugins() -> None:
    assert {user for user in users_of("skyx_core.api") if not user.startswith("testing/")} == set()


def test_what_runs_on_the_cluster_needs_the_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"skyx_agent", "None"}
    strangers = {
        f"{file.name}: {name}"
        for file in AGENT.rglob("*.py")
        for name in imports_of(file)
        if name.partition(".")[0] not in allowed
    }
    assert strangers == set()


def test_what_runs_on_the_cluster_parses_as_python_3_8() -> None:
    for file in AGENT.rglob("*.py"):
        ast.parse(file.read_text(), str(file), feature_version=(3, 8))


@pytest.mark.parametrize("package", ["plan", "failover", "cluster", "state", "jobs", "node", "cli"])
def test_core_compares_nothing_with_the_name_of_a_cloud(package: str) -> None:
    clouds = {"aws", "gcp", "azure", "lambda", "runpod", "oci", "ibm", "kubernetes", "k8s", "fakevm", "fakepod"}
    found = {
        f"{file.relative_to(CORE)}:{part.lineno}: {part.value}"
        for file in (CORE / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Compare)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and part.value in clouds
    }
    assert found == set()
