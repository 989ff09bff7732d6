"""GPUs of this machine, asked of nvidia-smi."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass

LIMIT_S = 2.0
_QUERY = ("--query-gpu=index,name,memory.total,uuid", "--format=csv,noheader,nounits")

# From the driver's product names (marketing words and memory sizes removed) to the names that task files use.
_BY_MEMORY = {  # GB -> suffix; the size that goes without saying has none
    "A100": {80: "-80GB"},
    "V100": {32: "-32GB"},
}
_NOISE = re.compile(
    r"\b(NVIDIA|Tesla|GeForce|Quadro|Graphics|Device|Generation|Laptop|Blackwell|Workstation|Server|Edition|GPU|MIG \S+"
    r"|HBM\w*|PCI-?E|PCIe|SXM\w*|NVL|\d+\s?GB)\b"
)


@dataclass(frozen=True)
class Gpu:
    """One device. ``id``: its index, as CUDA_VISIBLE_DEVICES takes it (in PCI bus order)."""

    id: str
    name: str
    memory_mib: int = 0
    uuid: str = ""


@dataclass(frozen=True)
class Detection:
    """GPUs found; ``note``: how they were found, or why there are none."""

    gpus: tuple[Gpu, ...]
    note: str


def detect(search_path: str, limit_s: float = LIMIT_S) -> Detection:
    """Ask nvidia-smi, found on ``search_path``; takes at most ``limit_s`` seconds. Never raises: no answer means no
    GPU.
    """
    program = shutil.which("nvidia-smi", path=search_path)
    if program is None:
        return Detection((), "nvidia-smi was not found")
    try:
        code, text = _output([program, *_QUERY], limit_s)
    except subprocess.TimeoutExpired:
        return Detection((), f"nvidia-smi did not answer within {limit_s:g} s")
    except OSError as error:
        return Detection((), f"nvidia-smi can't be run: {error.strerror}")
    if code != 0:
        first = (text.strip().splitlines() or ["nothing was said"])[0][:200]
        return Detection((), f"nvidia-smi failed with {code}: {first}")
    return parse(text)


def parse(text: str) -> Detection:
    """Read the answer to the query; lines that aren't of its form are passed over."""
    found = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 4 or not parts[0].isdecimal() or not parts[1] or parts[1].startswith("["):
            continue
        memory = int(parts[2]) if parts[2].isdecimal() else 0
        found.append(Gpu(parts[0], accelerator_name(parts[1], memory), memory, parts[3]))
    if found:
        return Detection(tuple(found), f"nvidia-smi lists {len(found)}")
    first = (text.strip().splitlines() or ["no devices were found"])[0][:200]
    return Detection((), f"nvidia-smi lists no GPU: {first}")


def accelerator_name(product: str, memory_mib: int = 0) -> str:
    """``NVIDIA A100-SXM4-80GB`` -> ``A100-80GB``, ``NVIDIA GeForce RTX 4090`` -> ``RTX4090``, ``Tesla T4`` ->
    ``T4``.
    """
    said = re.search(r"(\d+)\s?GB", product)
    size = int(said[1]) if said else round(memory_mib * 1.048576 / 1000)
    words = _NOISE.sub(" ", product.replace("-", " ")).split()
    if not words:
        return re.sub(r"[^A-Za-z0-9.]+", "-", product).strip("-") or "GPU"
    name = words[0]
    if name in ("RTX", "GTX", "TITAN"):
        series = 3 if words[1:2] == ["PRO"] else 2
        name = "-".join(["".join(words[:series]), *words[series:]])
    name = re.sub(r"[^A-Za-z0-9.-]", "", name)
    for known, suffix in _BY_MEMORY.get(name, {}).items():
        if abs(size - known) <= known * 0.08:
            name += suffix
    return name


def _output(argv: list[str], limit_s: float) -> tuple[int, str]:
    with subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={"PATH": os.defpath, "LC_ALL": "C"},
    ) as process:
        try:
            out, _ = process.communicate(timeout=limit_s)
        except BaseException:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, out.decode("utf-8", "replace")
