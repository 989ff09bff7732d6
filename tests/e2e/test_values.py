"""Scripts and values arrive as they were written, and secrets stay where they belong."""

from __future__ import annotations

import base64
import hashlib
import os
import random
import re
import stat
from pathlib import Path

import pytest

from cli_process import Cli, node_processes, wait_for

pytestmark = pytest.mark.e2e

ODD = {
    "P": 'a"b',
    "J": '{"k": 1}',
    "W": "C:\\new",
    "M": "l1\nl2",
    "T": "true",
    "E": "",
    "Q": "it's $HOME `id` $(id) !x \\ \t end",
    "U": "naïve 日本 🙂 \u2028",
    "S": "  blanks around  ",
    "H": "a#b=c",
    "C": "\r\n\x01\x7f",
}


def shown(text: str) -> dict[str, str]:
    """``NAME=hex`` lines of a log."""
    return {name: bytes.fromhex(value).decode() for name, value in re.findall(r"(\w)=((?:[0-9a-f]{2})*)$", text, re.M)}


PRINT = "for n in {}; do echo $n=$(printf %s \"${{!n}}\" | od -An -v -tx1 | tr -d ' \\n'); done".format(" ".join(ODD))


def yaml_of(value: str) -> str:
    inside = "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in value)
    return f'"{inside}"'


def test_odd_values_are_the_same_bytes_from_yaml_flag_and_file(shared):
    envs = "".join(f"  {name}: {yaml_of(value)}\n" for name, value in ODD.items() if name != "T")
    shared.write("e.yaml", f"resources: {{infra: local}}\nenvs:\n{envs}  T: true\nrun: |\n  {PRINT}\n")
    assert shown(shared.ok("exec", "c", "e.yaml").out) == ODD
    assert shown(shared.ok("launch", "e.yaml", "-c", "c", "-y").out) == ODD
    flags = [part for name, value in ODD.items() for part in ("--env", f"{name}={value}")]
    assert shown(shared.ok("exec", "c", *flags, PRINT).out) == ODD


def test_a_variable_in_a_mount_is_filled_in(shared):
    shared.write('src/a"b', "found\n")
    shared.write("m.yaml", "envs: {P: 'a\"b'}\nfile_mounts: {~/d: src/$P}\nrun: cat ~/d\n")
    assert "found" in shared.ok("exec", "c", "m.yaml").out


@pytest.mark.parametrize("name", ["A-B", "1A", "A B", "É", ""])
def test_names_that_no_shell_can_use_are_refused(shared, name):
    refused = shared.run("exec", "c", "--env", f"{name}=x", "true", code=2)
    assert refused.err.count("error[") == 1


def test_a_nul_in_a_value_is_refused_by_name(shared):
    shared.write("z.yaml", 'envs: {FINE: x, BAD: "a\\0b"}\nrun: "true"\n')
    refused = shared.run("exec", "c", "z.yaml", code=2)
    assert "BAD" in refused.err
    assert "FINE" not in refused.err


@pytest.mark.parametrize("size", [90_000, 1_100_000])
def test_long_scripts_arrive_whole(shared, size):
    """The script prints the digest of its own text, taken from a here-document that holds everything odd."""
    odd = "'\"$`!\\ ${VAR} \t emoji 🙂 EOF\r\n"
    rng = random.Random(size)
    filler = "".join(
        odd if rng.random() < 0.1 else base64.b64encode(rng.randbytes(45)).decode() + "\n" for _ in range(size // 60)
    )
    body = filler + "EOF\n"
    shared.write("long.sh.txt", f"cat > got <<'END_OF_IT'\n{body}END_OF_IT\nsha256sum < got\n")
    script = (shared.cwd / "long.sh.txt").read_bytes().decode()
    inside = "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in script)
    shared.write("long.yaml", f'run: "{inside}"\n')
    assert hashlib.sha256(body.encode()).hexdigest() in shared.ok("exec", "c", "long.yaml").out


def test_any_bytes_in_the_output_come_through(shared):
    done = shared.ok("exec", "c", r"printf 'a\377\376\001b\n'")
    assert done.out.encode("utf-8", "surrogateescape") == b"(head, rank=0) a\xff\xfe\x01b\n"


def files_that_hold(folder: Path, needle: bytes) -> list[Path]:
    return [
        path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and needle in path.read_bytes()
    ]


def command_lines() -> str:
    texts = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                texts.append(Path(f"/proc/{name}/cmdline").read_bytes())
            except OSError:
                continue
    return b"\n".join(texts).decode("utf-8", "replace")


def test_secrets_reach_the_job_and_nothing_else(cli: Cli):
    secret = "hunter2-" + os.urandom(8).hex()
    cli.write("s.yaml", "resources: {infra: local}\nsecrets: {TOKEN: null}\nrun: |\n  echo len=${#TOKEN}; sleep 300\n")
    started = cli.ok(
        "launch", "s.yaml", "-c", "c", "-y", "-d", "--secret", "TOKEN", env={"TOKEN": secret, "SKYX_DEBUG": "1"}
    )
    assert secret not in started.out + started.err
    wait_for(lambda: f"len={len(secret)}" in cli.run("logs", "c", "--no-follow").out)
    assert secret not in command_lines()
    for what in (("status", "-o", "json"), ("queue", "c", "-o", "json"), ("explain", "c", "-o", "json")):
        assert secret not in cli.ok(*what).out
    for path in files_that_hold(cli.home, secret.encode()):
        assert ".skyx" in path.parts, path  # the agent's own, on the node
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    refused = cli.run("exec", "c", "--secret", f"A-B={secret}", "true", code=2)
    assert secret not in refused.err
    cli.ok("down", "c", "-y")
    assert files_that_hold(cli.home, secret.encode()) == []
    assert list(node_processes(cli.root)) == []
