"""What is copied is what git would take."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from depth import depth
from skyx_core.errors import NodeError
from skyx_core.node import ignore
from skyx_core.node.ignore import select_files

DEPTH = depth(60, 1000)


def _tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def _selected(root: Path) -> list[str]:
    return [name for name in select_files(root).files if not name.endswith("/")]


def test_without_rules_everything_goes(tmp_path: Path) -> None:
    _tree(tmp_path, {"a": "", "b/c": "", ".git/config": "", ".hidden": ""})
    (tmp_path / "empty").mkdir()
    assert select_files(tmp_path).files == [".git/", ".git/config", ".hidden", "a", "b/", "b/c", "empty/"]


def test_the_first_rules_file_that_exists_decides(tmp_path: Path) -> None:
    _tree(tmp_path, {"x": "", "y": "", "z": "", ".git/config": "", ".gitignore": "x\n"})
    assert _selected(tmp_path) == [".gitignore", "y", "z"]
    _tree(tmp_path, {".skyignore": "y\n"})
    assert _selected(tmp_path) == [".git/config", ".gitignore", ".skyignore", "x", "z"]
    _tree(tmp_path, {".skyxignore": "z\n.git/\n.sky*\n"})
    assert _selected(tmp_path) == [".gitignore", "x", "y"]
    assert select_files(tmp_path).rules == ".skyxignore"


def test_rules_of_our_own_are_read_at_the_top_only(tmp_path: Path) -> None:
    _tree(tmp_path, {".skyxignore": "*.log\n", "a/.gitignore": "*\n", "a/.skyxignore": "*\n", "a/b": "", "a/c.log": ""})
    assert _selected(tmp_path) == [".skyxignore", "a/.gitignore", "a/.skyxignore", "a/b"]


def test_size_and_links_are_warned_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = _tree(tmp_path / "real", {"big": "x" * 1000, "left_out": "x" * 1000, ".skyxignore": "left_out"})
    (tmp_path / "link").symlink_to(real)
    found = select_files(tmp_path / "link")
    assert (found.size, len(found.warnings)) == (1008, 1)
    assert "is a link" in found.warnings[0]
    monkeypatch.setattr(ignore, "LARGE", 1008)
    [warning] = select_files(real).warnings
    assert "to be copied to each node" in warning
    monkeypatch.setattr(ignore, "LARGE", 1009)
    assert select_files(real).warnings == ()


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(NodeError, match="missing"):
        select_files(tmp_path / "missing")
    (tmp_path / "file").write_text("")
    with pytest.raises(NodeError, match="Not a directory"):
        select_files(tmp_path / "file")


def test_a_loop_of_links_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "up").symlink_to("..")
    assert select_files(tmp_path).files == ["a/", "a/up"]


_NAMES = ["a", "b", "foo", "foo.py", "x.txt", "build", "a b", "[z]", "#h", "!n", "é", "ab", "a\\b", "b.", "-d", "z*"]
_PARTS = [
    *("a", "b", "foo", "*.py", "*", "**", "build/", "/a", "a/", "a/**", "**/b", "a/**/b", "*/", "/*", "?", "[ab]"),
    *("[!a]", "[^a-b]", "[[:alpha:]]", "[z", "\\#h", "\\!n", "#h", "a\\ ", "a ", "foo*", "**foo", "f**o", "a**", "/"),
    *("//", "a//", "\\", "a\\", "[]a]", "[a-]", "[b-a]", "é", "x.txt\r", "[\\]a]", "**/", "/**", "**/a/**", "b/*"),
    *("b/a", "[[:foo:]]", "\\[z]", "z\\*", "[a/b]", "a[/]b", "*a*b*", "???", "***", "***/a", "a***/b", "b/***"),
]
_LINE = st.builds(
    lambda negated, parts: ("!" if negated else "") + "/".join(parts),
    st.booleans(),
    st.lists(st.sampled_from(_PARTS), min_size=1, max_size=2),
)
_PATHS = st.lists(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4), min_size=1, max_size=14)
_RULES = st.dictionaries(st.integers(0, 13), st.lists(_LINE, min_size=1, max_size=6), max_size=3)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
@settings(
    max_examples=DEPTH, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(paths=_PATHS, top=st.lists(_LINE, min_size=1, max_size=8), nested=_RULES)
def test_it_agrees_with_git(
    git_dir: Path, paths: list[list[str]], top: list[str], nested: dict[int, list[str]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / ".gitignore").write_text("\n".join(top))
        for parts in paths:
            path = root.joinpath(*parts)
            if not any(parent.is_file() for parent in path.parents) and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("")
        folders = sorted(path for path in root.rglob("*") if path.is_dir())
        for index, lines in nested.items():
            if folders:
                (folders[index % len(folders)] / ".gitignore").write_text("\n".join(lines))
        everything = {str(path.relative_to(root)) for path in root.rglob("*")}
        taken = {path.rstrip("/") for path in select_files(root).files}
        assert everything - taken == _ignored_by_git(git_dir, root, everything)


_GIT = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C"}


@pytest.fixture(scope="module")
def git_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository without content; its work tree is named at each call."""
    folder = tmp_path_factory.mktemp("git")
    subprocess.run(["git", "init", "-q", "--bare", "--template=", str(folder)], check=True, env=_GIT, timeout=30)
    return folder


def _ignored_by_git(git_dir: Path, root: Path, paths: set[str]) -> set[str]:
    argv = [
        "git",
        f"--git-dir={git_dir}",
        f"--work-tree={root}",
        "-c",
        "core.bare=false",
        "check-ignore",
        "-z",
        "--stdin",
    ]
    text = "\0".join(sorted(paths)).encode()
    done = subprocess.run(argv, env=_GIT, input=text, stdout=subprocess.PIPE, timeout=30, check=False, cwd=root)
    assert done.returncode in (0, 1)
    return {os.fsdecode(path) for path in done.stdout.split(b"\0") if path}
