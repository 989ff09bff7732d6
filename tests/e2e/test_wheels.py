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


def environment(folder: Path, wheels: list[Path]) -> Path:
    """With these wheels, and of the rest only what they depend on: no editable install is seen."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    site = next((folder / "lib").glob("python3*")) / "site-packages"
    offline = ("--no-index", "--no-deps", "--disable-pip-version-check", "-q")
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        folder / "bin" / "python",
        "install",
        *offline,
        *wheels,
        HOME=str(folder),
    )
    others = site / "others"
    others.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "skyx" not in entry.name.lower() and not entry.name.endswith(".pth"):
            (others / entry.name).symlink_to(entry)
    (site / "others.pth").write_text(f"{others}\n")
    return folder / "bin"


def test_there_is_one_wheel_for_each_distribution_with_what_it_needs(wheels):
    assert set(wheels) == set(PARTS)
    names = {name: zipfile.ZipFile(wheel).namelist() for name, wheel in wheels.items()}
    assert {name.split("/")[0] for name in names["skyx"] if ".dist-info" not in name} == set()
    assert any(name.startswith("skyx_agent/") for name in names["skyx_core"])
    assert any(name.endswith("py.typed") for name in names["skyx_core"])
    assert not [name for group in names.values() for name in group if name.startswith("tests") or "__pycache__" in name]


def test_the_tool_works_where_only_the_wheels_are(wheels, tmp_path):
    where = environment(tmp_path / "venv", list(wheels.values()))
    own = {"HOME": str(tmp_path), "SKYX_HOME": str(tmp_path / "skyx"), "SKYX_LOCAL_LEDGER": str(tmp_path / "ledger")}
    assert "0.1.0" in run(where / "skyx", "--version", **own).stdout
    listed = run(where / "skyx", "plugins", "-o", "json", **own).stdout
    assert '"local"' in listed
    try:
        done = run(where / "skyx", "launch", "-c", "c", "-y", "--infra", "local", "echo it works", **own)
        assert "it works" in done.stdout
    finally:
        run(where / "skyx", "down", "c", "-y", **own)


def test_each_part_can_be_imported_without_the_next(wheels, tmp_path):
    core = environment(tmp_path / "core", [wheels["skyx_core"]])
    code = "import skyx_core, skyx_agent.main; from skyx_core import Session; print(skyx_core.__file__)"
    assert str(tmp_path) in run(core / "python", "-c", code, HOME=str(tmp_path)).stdout
    empty = run(core / "skyx", "plugins", "-o", "json", HOME=str(tmp_path), SKYX_HOME=str(tmp_path / "h")).stdout
    assert '"local"' not in empty
