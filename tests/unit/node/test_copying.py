"""Files to and from a sandbox."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from skyx_core.errors import NodeError
from skyx_core.node import copying
from skyx_core.node.sandbox import Sandbox, SandboxRunner


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "tool").write_text("#!/bin/sh\n")
    (folder / "a" / "b" / "tool").chmod(0o755)
    (folder / "data\nwith newline").write_bytes(bytes(range(256)) * 1000)
    os.utime(folder / "a" / "b" / "tool", ns=(5, 1_600_000_000_123_456_789))
    (folder / "empty").mkdir()
    return folder


def test_content_modes_and_times_arrive(source: Path, runner: SandboxRunner, sandbox: Sandbox) -> None:
    runner.put(source, "~/skyx_workdir")
    there = sandbox.home / "skyx_workdir"
    for path in source.rglob("*"):
        copy = there / path.relative_to(source)
        assert copy.stat().st_mode == path.stat().st_mode
        assert copy.stat().st_mtime_ns == path.stat().st_mtime_ns
        assert not path.is_file() or copy.read_bytes() == path.read_bytes()


def test_unchanged_files_are_left_alone_and_nothing_is_deleted(
    source: Path, runner: SandboxRunner, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner.put(source, "~/w")
    (sandbox.home / "w" / "made by a job").write_text("x")
    copied: list[str] = []
    real = copying.copy_file
    monkeypatch.setattr(copying, "copy_file", lambda *args: (copied.append(args[0]), real(*args)))
    runner.put(source, "~/w")
    assert copied == []
    (source / "a" / "b" / "tool").write_text("#!/bin/bash\n")
    runner.put(source, "~/w")
    assert copied == [str(source / "a" / "b" / "tool")]
    assert (sandbox.home / "w" / "made by a job").read_text() == "x"
    assert (sandbox.home / "w" / "a" / "b" / "tool").read_text() == "#!/bin/bash\n"


def test_only_the_listed_files_are_copied(source: Path, runner: SandboxRunner, sandbox: Sandbox) -> None:
    runner.put(source, "~/w", ["a/", "a/b/tool", "gone"])
    assert sorted(str(path.relative_to(sandbox.home / "w")) for path in (sandbox.home / "w").rglob("*")) == [
        "a",
        "a/b",
        "a/b/tool",
    ]
    for bad in ("../source/a", "/etc/passwd", "a/../../x", ""):
        with pytest.raises(NodeError, match="leads out of the source"):
            runner.put(source, "~/w", [bad])


def test_one_file(source: Path, runner: SandboxRunner, sandbox: Sandbox) -> None:
    tool = source / "a" / "b" / "tool"
    runner.put(tool, "~/bin/renamed")
    runner.put(tool, "~/bin/")
    assert sorted(path.name for path in (sandbox.home / "bin").iterdir()) == ["renamed", "tool"]
    (source / "link").symlink_to(tool)
    runner.put(source / "link", "followed")
    assert (sandbox.home / "followed").read_text() == tool.read_text()


def test_links_inside_stay_links(source: Path, runner: SandboxRunner, sandbox: Sandbox) -> None:
    (source / "relative").symlink_to("a/b/tool")
    (source / "absolute").symlink_to(source / "a" / "b")
    (source / "dangling").symlink_to("nowhere")
    (source / "a" / "loop").symlink_to("loop")
    runner.put(source, "~/w")
    there = sandbox.home / "w"
    assert os.readlink(there / "relative") == "a/b/tool"
    assert (there / "absolute" / "tool").resolve() == there / "a" / "b" / "tool"
    assert os.readlink(there / "dangling") == "nowhere"
    runner.put(source, "~/w")


@pytest.mark.parametrize("target", ["/etc/passwd", "../elsewhere", "a/../../up"])
def test_links_that_lead_out_are_refused_before_anything_is_copied(
    source: Path, runner: SandboxRunner, sandbox: Sandbox, target: str
) -> None:
    (source / "bad link").symlink_to(target)
    with pytest.raises(NodeError, match="the link 'bad link' leads out of the folder"):
        runner.put(source, "~/w")
    assert not (sandbox.home / "w").exists()


def test_pipes_sockets_and_devices_are_refused_by_name(source: Path, runner: SandboxRunner) -> None:
    os.mkfifo(source / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(source / "sock"))
        with pytest.raises(NodeError) as caught:
            runner.put(source, "~/w")
    assert "'pipe' is a pipe" in caught.value.why
    assert "'sock' is a socket" in caught.value.why


@pytest.mark.parametrize("target", ["/etc/skyx-test", "../out", "~/../../out", "~root/x", "~/a/../../out", "x\0y"])
def test_targets_outside_the_home_are_refused(source: Path, runner: SandboxRunner, target: str) -> None:
    for act in (
        lambda: runner.put(source, target),
        lambda: runner.put_bytes(b"", target),
        lambda: runner.get(target, source / "back"),
    ):
        with pytest.raises(NodeError) as caught:
            act()
        assert repr(target) in str(caught.value)


def test_an_absolute_target_in_the_home_is_fine(runner: SandboxRunner, sandbox: Sandbox) -> None:
    runner.put_bytes(b"x", f"{sandbox.home}/a/b", mode=0o640)
    assert (sandbox.home / "a" / "b").stat().st_mode & 0o777 == 0o640


def test_links_that_a_job_made_are_never_written_through(
    source: Path, runner: SandboxRunner, sandbox: Sandbox, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "b").mkdir(parents=True)
    (sandbox.home / "w").mkdir()
    (sandbox.home / "w" / "a").symlink_to(outside)
    with pytest.raises(NodeError, match="leads out of the node's home"):
        runner.put(source, "~/w")
    (sandbox.home / "trap").symlink_to(outside)
    for act in (
        lambda: runner.put_bytes(b"", "~/trap/x"),
        lambda: runner.put(source, "~/trap"),
        lambda: runner.get("~/trap", tmp_path / "back"),
    ):
        with pytest.raises(NodeError, match="outside the node's home"):
            act()
    (sandbox.home / "file").symlink_to(outside / "victim")
    runner.put_bytes(b"mine", "~/file")
    assert sorted(path.name for path in outside.rglob("*")) == ["b"]
    assert (sandbox.home / "file").read_bytes() == b"mine"


def test_the_alias_of_the_workdir_works(source: Path, runner: SandboxRunner, sandbox: Sandbox) -> None:
    runner.put(source, "~/sky_workdir")
    assert (sandbox.home / "skyx_workdir" / "a" / "b" / "tool").exists()
    assert (sandbox.home / "sky_workdir").is_symlink()


def test_a_file_where_a_folder_is_and_the_other_way_round(
    source: Path, runner: SandboxRunner, sandbox: Sandbox
) -> None:
    runner.put_bytes(b"", "~/w/a")
    with pytest.raises(NodeError, match="is a file on the node and a folder in the source"):
        runner.put(source, "~/w")
    with pytest.raises(NodeError, match="is a folder on the node"):
        runner.put(source / "a" / "b" / "tool", "~/skyx_workdir")


def test_a_full_disk_leaves_no_half_file(
    source: Path, runner: SandboxRunner, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.copy_file_range", full)
    with pytest.raises(NodeError, match="No space left on device") as caught:
        runner.put(source, "~/w")
    assert "make room" in caught.value.hint
    assert [path for path in (sandbox.home / "w").rglob("*") if path.is_file()] == []


def test_without_help_of_the_kernel_it_copies_all_the_same(
    source: Path, runner: SandboxRunner, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object) -> int:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.copy_file_range", refused)
    runner.put(source, "~/w")
    name = "data\nwith newline"
    assert (sandbox.home / "w" / name).read_bytes() == (source / name).read_bytes()


def test_a_missing_source_is_named(runner: SandboxRunner, tmp_path: Path) -> None:
    for act in (lambda: runner.put(tmp_path / "gone", "x"), lambda: runner.get("gone", tmp_path / "back")):
        with pytest.raises(NodeError, match=r"gone.*can't be read"):
            act()


def test_unreadable_sources_are_named(source: Path, runner: SandboxRunner) -> None:
    if os.getuid() == 0:
        pytest.skip("root can read everything")
    (source / "a" / "b" / "tool").chmod(0)
    with pytest.raises(NodeError, match="'a/b/tool' can't be read"):
        runner.put(source, "~/w")


def test_there_and_back(source: Path, runner: SandboxRunner, tmp_path: Path) -> None:
    runner.put(source, "~/w")
    runner.get("~/w", tmp_path / "back")
    assert {p.relative_to(source) for p in source.rglob("*")} == {
        p.relative_to(tmp_path / "back") for p in (tmp_path / "back").rglob("*")
    }
    runner.get("w/a/b/tool", tmp_path / "back")
    assert (tmp_path / "back" / "tool").read_text() == "#!/bin/sh\n"


def test_the_nodes_themselves_are_never_copied(
    source: Path, runner: SandboxRunner, sandbox: Sandbox, tmp_path: Path
) -> None:
    """As when the workdir is the user's home, which holds the state folder."""
    for files in (None, ["source/", "nodes/n0/node.json", "nodes/"]):
        runner.put(tmp_path, "~/w", files)
        assert [path.name for path in (sandbox.home / "w").iterdir()] == ["source"]


def test_progress_counts_to_the_end(source: Path, sandbox: Sandbox) -> None:
    seen: list[tuple[int, int]] = []
    SandboxRunner(sandbox.folder, node="head", progress=lambda *step: seen.append(step)).put(source, "w")
    assert seen == [(number, len(seen)) for number in range(1, len(seen) + 1)]
    assert len(seen) == 6
