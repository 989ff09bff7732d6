"""Finding GPUs by what nvidia-smi says, or fails to say."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from local_cloud import PLACE, MemoryAttempt, concrete, driver, handle, request
from skyx_local.gpus import accelerator_name, detect, parse

DATA = Path(__file__).parents[2] / "data" / "nvidia-smi"


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("h100x8.csv", ["H100"] * 8),
        ("a100-80gbx2.csv", ["A100-80GB"] * 2),
        ("a100-40gb.csv", ["A100"]),
        ("t4.csv", ["T4"]),
        ("v100-32gb.csv", ["V100-32GB"]),
        ("mixed-workstation.csv", ["RTX4090", "RTXA6000", "RTX6000-Ada"]),
        ("mig-a100.csv", ["A100", "A100"]),
        ("no-memory-figure.csv", ["GH200"]),
        ("warning-first.csv", ["L4"]),
        ("lost-gpu.csv", ["A10G"]),
        ("no-devices.txt", []),
        ("driver-missing.txt", []),
        ("driver-mismatch.txt", []),
        ("garbage.bin", []),
    ],
)
def test_what_it_prints_is_understood(file: str, names: list[str]) -> None:
    found = parse((DATA / file).read_text(errors="replace"))
    assert [gpu.name for gpu in found.gpus] == names
    assert [gpu.id for gpu in found.gpus] == [str(index) for index in range(len(names))]
    assert found.note


@pytest.mark.parametrize(
    ("product", "name"),
    [
        ("NVIDIA H100 PCIe", "H100"),
        ("NVIDIA H100 NVL", "H100"),
        ("NVIDIA H200", "H200"),
        ("NVIDIA B200", "B200"),
        ("NVIDIA A100 80GB PCIe", "A100-80GB"),
        ("NVIDIA L40S", "L40S"),
        ("Tesla V100-SXM2-16GB", "V100"),
        ("Tesla P100-PCIE-16GB", "P100"),
        ("Tesla K80", "K80"),
        ("NVIDIA GeForce RTX 3090 Ti", "RTX3090-Ti"),
        ("NVIDIA GeForce GTX 1080 Ti", "GTX1080-Ti"),
        ("Quadro RTX 8000", "RTX8000"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "RTX4090"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTXPRO6000"),
        ("NVIDIA TITAN X (Pascal)", "TITANX-Pascal"),
        ("NVIDIA Graphics Device", "NVIDIA-Graphics-Device"),
    ],
)
def test_product_names_become_the_names_of_task_files(product: str, name: str) -> None:
    assert accelerator_name(product) == name


def _program(folder: Path, script: str) -> str:
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(folder)


def test_no_program_no_gpu(tmp_path: Path) -> None:
    assert detect(str(tmp_path)) == detect("") != detect(_program(tmp_path, "exit 0"))
    assert detect("").note == "nvidia-smi was not found"


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    found = detect(_program(tmp_path, f"cat {DATA}/driver-missing.txt; exit 9"))
    assert found.gpus == ()
    assert "failed with 9: NVIDIA-SMI has failed because" in found.note


def test_a_program_that_hangs_is_given_up(tmp_path: Path) -> None:
    begin = time.monotonic()
    found = detect(_program(tmp_path, "sleep 60 & sleep 60"), limit_s=0.2)
    assert found.note == "nvidia-smi did not answer within 0.2 s"
    assert time.monotonic() - begin < 5


def test_found_gpus_are_handed_out_by_id(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    search = _program(tmp_path / "bin", f'[ "$1" = --query-gpu=index,name,memory.total,uuid ] && cat {DATA}/h100x8.csv')
    cloud = driver(tmp_path, tmp_path / "ledger")
    environ = {"PATH": f"{search}:/usr/bin:/bin", "SKYX_LOCAL_LEDGER": str(tmp_path / "ledger")}
    cloud.context = type(cloud.context)(owner="o", home=tmp_path, environ=environ)
    wanted = concrete(cloud, request(2, accelerators={"H100": 4}))
    cluster = cloud.provision(PLACE, wanted, MemoryAttempt(handle("aa")))
    nodes = cluster.nodes
    assert cluster.data["accelerator"] == "H100"
    assert [node.data["gpus"] for node in nodes] == ["0,1,2,3", "4,5,6,7"]
