"""Commands that installed distributions bring."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = "import sys; from skyx_core.cli.main import main; sys.exit(main())"

GOOD = """
import click
@click.command("hello", help="Say hello.")
@click.option("--twice", is_flag=True)
def hello(twice):
    click.echo("hello on stdout")
    print("printed on stdout")
    return 7 if twice else 0
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of distributions: one command that works, one whose import fails, one that is no command."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name, text in {"good": GOOD, "bad": "raise RuntimeError('at import')\n", "odd": "thing = 3\n"}.items():
        (folder / f"skyx_{name}_cmd.py").write_text(text)
        info = folder / f"skyx_{name}_cmd-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: skyx-{name}-cmd\nVersion: 1.2\n")
        attribute = {"good": "hello", "bad": "x", "odd": "thing"}[name]
        (info / "entry_points.txt").write_text(f"[skyx.commands]\n{name} = skyx_{name}_cmd:{attribute}\n")
    return folder


def skyx(site: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(site), *sys.path])
    home = str(site.parent / "home")
    return subprocess.run(
        [sys.executable, "-P", "-c", MAIN, *args],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": paths, "SKYX_HOME": home, **env},
    )


def test_help_lists_them_all_without_importing_any(site: Path) -> None:
    result = skyx(site, "--help")
    assert result.returncode == 0
    for name in ("good", "bad", "odd"):
        assert f"(from skyx-{name}-cmd 1.2)" in result.stdout
    assert skyx(site, "--no-plugins", "--help").stdout.count("(from") == 0


def test_it_runs_with_its_own_flags_its_own_stdout_and_its_own_code(site: Path) -> None:
    result = skyx(site, "good", "--twice")
    assert result.stdout == "hello on stdout\nprinted on stdout\n"
    assert result.returncode == 7
    assert "Say hello." in skyx(site, "good", "--help").stdout
    assert skyx(site, "good", "--nope").returncode == 2


def test_a_failing_one_is_an_error_of_its_own_and_harms_no_other_command(site: Path) -> None:
    broken = skyx(site, "bad")
    assert broken.returncode == 1
    assert broken.stderr.startswith("error[SKYX-E920]")
    assert "at import" in broken.stderr
    assert "Traceback" not in broken.stderr
    assert skyx(site, "odd").stderr.startswith("error[SKYX-E920]")
    assert skyx(site, "status", "-o", "json").stdout == "[]\n"


def test_a_disabled_one_is_not_run(site: Path) -> None:
    assert skyx(site, "good", SKYX_DISABLE_PLUGINS="good").returncode == 1
    assert skyx(site, "--no-plugins", "good").returncode == 2
