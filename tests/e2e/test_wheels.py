"""The wheels build without a network, install into a new environment, and work there."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PARTS = {"skyx_core": "skyx_core", "skyx_local": "skyx_local", "skyx": "."}


def run(*argv: object, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        list(map(str, argv)), env={**kept, **environ}, capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wheels")
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "-q")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *offline,
        "-w",
        folder,
        *(ROOT / path for path in PARTS.values()),
        HOME=str(folder),
    )
    return {wheel.name.partition("-")[0]: wheel for wheel in folder.glob("*.whl")}


@pytest.fixture(scope="module")
def needed(tmp_path_factory) -> Path:
    """A folder with what the wheels depend on, and no editable install of theirs."""
    folder = tmp_path_factory.mktemp("needed")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "skyx" not in entry.name.lower() and not entry.name.endswith(".pth"):
            (folder / entry.name).symlink_to(entry)
    return folder


def test_there_is_one_wheel_for_each_distribution_with_what_it_needs(wheels):
    assert set(wheels) == set(PARTS)
    names = {name: zipfile.ZipFile(wheel).namelist() for name, wheel in wheels.items()}
    assert {name.split("/")[0] for name in names["skyx"] if ".dist-info" not in name} == set()
    assert any(name.startswith("skyx_agent/") for name in names["skyx_core"])
    assert any(name.endswith("py.typed") for name in names["skyx_core"])
    assert not [name for group in names.values() for name in group if name.startswith("tests") or "__pycache__" in name]


def test_the_tool_works_where_only_the_wheels_are(wheels, needed, tmp_path):
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv)
    offline = ("--no-index", "--no-deps", "--no-compile", "--disable-pip-version-check", "-q")
    python = venv / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", *offline, *wheels.values(), HOME=str(tmp_path))
    site = next((venv / "lib").glob("python3*")) / "site-packages"
    (site / "needed.pth").write_text(f"{needed}\n")
    own = {"HOME": str(tmp_path), "SKYX_HOME": str(tmp_path / "skyx"), "SKYX_LOCAL_LEDGER": str(tmp_path / "ledger")}
    skyx = venv / "bin" / "skyx"
    assert "0.1.0" in run(skyx, "--version", **own).stdout
    assert '"local"' in run(skyx, "plugins", "-o", "json", **own).stdout
    try:
        assert "it works" in run(skyx, "launch", "-c", "c", "-y", "--infra", "local", "echo it works", **own).stdout
    finally:
        run(skyx, "down", "c", "-y", **own)


@pytest.mark.parametrize(
    ("parts", "module"), [(["skyx_core"], "skyx_core"), (["skyx_core", "skyx_local"], "skyx_local")]
)
def test_each_part_can_be_imported_without_the_next(wheels, needed, parts, module):
    paths = [str(wheels[part]) for part in parts] + [str(needed)]
    code = (
        f"import sys; sys.path += {paths!r}; from skyx_core import Session; import {module}; print({module}.__file__)"
    )
    assert str(wheels[module]) in run(sys.executable, "-I", "-S", "-c", code).stdout
    missing = "import skyx_local.driver" if module == "skyx_core" else "import skyx"
    assert subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"{code}; {missing}"], capture_output=True, check=False
    ).returncode
