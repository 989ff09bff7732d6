"""Requests in words, for tables and messages."""

from __future__ import annotations

from skyx_core.models import Request


def describe_request(request: Request) -> str:
    """``2x {A100:8, cpus=4+, spot}`` for tables and messages."""
    parts = [f"{name}:{count:g}" for name, count in sorted(request.accelerators.items())]
    parts += [str(request.instance_type)] if request.instance_type else []
    parts += [f"cpus={request.cpus}"] if request.cpus else []
    parts += [f"memory={request.memory_gb}"] if request.memory_gb else []
    parts += ["spot"] if request.use_spot else []
    return f"{request.num_nodes}x {{{', '.join(parts) or 'anything'}}}"


def accelerators(counts: dict[str, float]) -> str:
    """``A100:8``, or that there are none."""
    return ", ".join(f"{name}:{count:g}" for name, count in sorted(counts.items())) or "no accelerators"


def usd(amount: float) -> str:
    """``$1.50``; small prices with more digits."""
    return f"${amount:.2f}" if amount == 0 or amount >= 0.1 else f"${amount:.4f}"


def some(names: list[str], most: int = 4) -> str:
    """The first few, and how many more."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
