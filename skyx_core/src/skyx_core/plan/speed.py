"""How fast accelerators are, for ``optimize: time``: dense BF16/FP16 tensor TFLOPS of one, without sparsity.

Source: data sheets and architecture papers of the makers of the chips, read 2026-11-30. It orders candidates; it is no
benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from skyx_core.models import Candidate

TFLOPS: Mapping[str, float] = MappingProxyType(
    {
        "B300": 2250.0,
        "B200": 2250.0,
        "GB200": 2500.0,
        "GB300": 2500.0,
        "B100": 1750.0,
        "H200": 989.0,
        "H200-SXM": 989.0,
        "H100": 989.0,
        "H100-MEGA": 989.0,
        "H100-SXM": 989.0,
        "H100-NVL": 835.0,
        "GH200": 989.0,
        "H20": 148.0,
        "A100": 312.0,
        "A100-80GB": 312.0,
        "A100-80GB-SXM": 312.0,
        "A800": 312.0,
        "L40S": 362.0,
        "L40": 181.0,
        "L4": 121.0,
        "A40": 149.7,
        "A30": 165.0,
        "A10": 125.0,
        "A10G": 70.0,
        "A16": 18.0,
        "A4000": 76.7,
        "A5000": 111.1,
        "A6000": 154.8,
        "T4": 65.0,
        "T4g": 65.0,
        "V100": 125.0,
        "V100-32GB": 125.0,
        "P100": 21.2,
        "RTX4090": 165.2,
        "RTX3090": 71.0,
        "RTX6000-Ada": 364.2,
        "RTX5090": 209.5,
        "RTXPRO6000": 503.8,
        "MI325X": 1307.4,
        "MI300X": 1307.4,
        "MI355X": 2516.6,
        "MI100": 92.3,
        "MI210": 181.0,
        "MI250": 362.1,
        "MI250X": 383.0,
        "Trainium": 190.0,
        "Trainium2": 667.0,
        "Inferentia": 64.0,
        "Inferentia2": 190.0,
        "Gaudi2": 432.0,
        "Gaudi3": 1835.0,
        "tpu-v2": 45.0,
        "tpu-v3": 123.0,
        "tpu-v4": 275.0,
        "tpu-v5litepod": 197.0,
        "tpu-v5p": 459.0,
        "tpu-v6e": 918.0,
    }
)
_BY_KEY: Mapping[str, float] = MappingProxyType({name.lower(): value for name, value in TFLOPS.items()})
_CHIPS = frozenset({"tpu-v2", "tpu-v3", "tpu-v4", "tpu-v5p"})  # sizes in these names count cores, two on a chip


def tflops(candidate: Candidate) -> float:
    """Of one node; 0 where an accelerator isn't in the table."""
    each = [_one(name) * count for name, count in candidate.accelerators.items()]
    return sum(each) if each and all(each) else 0.0


def _one(name: str) -> float:
    key = name.lower()
    if key in _BY_KEY:
        return _BY_KEY[key]
    family, dash, size = key.rpartition("-")  # tpu-v4-8: a slice of eight cores
    if dash and size.isdigit() and family in _BY_KEY:
        return _BY_KEY[family] * int(size) / (2 if family in _CHIPS else 1)
    return 0.0


def slowness(candidate: Candidate, usual_start_s: float) -> tuple[float, float, float]:
    """A key that sorts the fastest first: by TFLOPS, then (unknown ones after all known) by vCPUs; then by how long the
    cloud's nodes usually take to start.
    """
    fast = tflops(candidate)
    return -fast, 0.0 if fast else -candidate.cpus, usual_start_s
