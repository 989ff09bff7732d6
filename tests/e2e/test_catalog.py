"""From a CSV file to prices and a plan, with the installed program."""

from __future__ import annotations

import gzip
import os
import subprocess

import pytest

from cli_process import LIMIT_S, SKYX, Cli, wait_for

pytestmark = pytest.mark.e2e

HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone,GpuInfo\n"
ROWS = "".join(
    f"gpu.8,nvidia-a100,8,96,1152,{32 + n}.0,{10 + n}.5,r{n},r{n}-{zone},\n" for n in range(3) for zone in "ab"
)


def test_import_list_prices_and_plan_of_a_cloud_without_a_plugin(cli: Cli) -> None:
    cli.write("task.yaml", "resources: {accelerators: 'A100:8', use_spot: true}\nrun: 'true'\n")
    done = cli.ok("catalog", "import", "pluto", "-", stdin=gzip.compress((HEAD + ROWS).encode()))
    assert done.out == "pluto: 12 offers of 1 type in 3 regions\n"
    assert "--catalogued" in done.err
    listed = cli.ok("catalog", "list", "--cloud", "pluto", "--gpus", "a100-40gb:8", "--limit", "3", "-o", "json").json
    assert [(row["zone"], row["hourly_usd"]) for row in listed] == [("r0-a", 10.5), ("r0-b", 10.5), ("r1-a", 11.5)]
    [row] = cli.ok("show-gpus", "A100", "-o", "json").json
    assert (row["hourly_usd"], row["spot_hourly_usd"], row["spot_region"]) == (32.0, 10.5, "r0")
    [task] = cli.ok("plan", "task.yaml", "--catalogued", "-o", "json").json["tasks"]
    assert [one["zone"] for one in task["candidates"]] == ["r0-a", "r0-b", "r1-a", "r1-b", "r2-a", "r2-b"]
    [info] = cli.ok("catalog", "info", "-o", "json").json
    assert (info["cloud"], info["rows"], info["installed"]) == ("pluto", 12, False)


def test_a_broken_catalogue_is_named_and_mended_by_an_import(cli: Cli) -> None:
    cli.write("offers.csv", HEAD + ROWS)
    cli.ok("catalog", "import", "pluto", "offers.csv")
    path = cli.home / "data" / "catalog" / "pluto.db"
    path.write_bytes(path.read_bytes()[:-4096])
    broken = cli.run("catalog", "list", "--cloud", "pluto", code=2)
    assert "SKYX-E240" in broken.err
    assert str(path) in broken.err
    assert "skyx catalog import pluto" in broken.err
    assert cli.run("catalog", "info", code=1).out.count("a part of it is missing") == 1
    cli.run("catalog", "import", "pluto", "/bin/ls", code=2)
    cli.ok("catalog", "import", "pluto", "offers.csv")
    assert len(cli.ok("catalog", "list", "--cloud", "pluto", "-o", "json").json) == 12


def test_an_import_that_is_killed_leaves_the_old_catalogue(cli: Cli) -> None:
    cli.write("offers.csv", HEAD + ROWS)
    cli.ok("catalog", "import", "pluto", "offers.csv")
    folder = cli.home / "data" / "catalog"
    process = subprocess.Popen(
        [SKYX, "catalog", "import", "pluto", "-"], stdin=subprocess.PIPE, env=cli.environ, cwd=cli.cwd
    )
    assert process.stdin is not None
    os.write(process.stdin.fileno(), (HEAD + "other,,,1,1,1,,r,,\n").encode() * 100)
    wait_for(lambda: list(folder.glob("*.part")), LIMIT_S, "the file that is being made")
    process.kill()
    process.wait(LIMIT_S)
    process.stdin.close()
    assert len(cli.ok("catalog", "list", "--cloud", "pluto", "-o", "json").json) == 12
