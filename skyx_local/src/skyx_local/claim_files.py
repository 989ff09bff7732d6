"""The files of the ledger. Other users' files are read with distrust: bounded, never followed, checked."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import math
import os
import secrets
import stat
from dataclasses import asdict, replace
from pathlib import Path

from skyx_local.claims import Claim

_SIZE_LIMIT = 16 * 1024
_COUNT_LIMIT = 50_000
_NUMBER_LIMIT = 1e9


def path_of(folder: Path, claim_folder: str) -> Path:
    """Where this user's claim for a node's folder is kept."""
    digest = hashlib.sha256(os.fsencode(claim_folder)).hexdigest()[:24]
    return folder / f"{os.getuid()}-{digest}.json"


def write(folder: Path, claim: Claim) -> None:
    """Whole or not at all; readable for all users. Raises ``OSError``."""
    path = path_of(folder, claim.folder)
    part = folder / f".{path.name}-{secrets.token_hex(4)}"
    data = asdict(claim)
    del data["user"]
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o644)
            json.dump(data, file)
        os.rename(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def remove(folder: Path, claim: Claim) -> None:
    """What is already gone is success."""
    path_of(folder, claim.folder).unlink(missing_ok=True)


def read_all(folder: Path) -> tuple[list[Claim], list[str]]:
    """(claims by file name, notes on files that were passed over). Raises ``OSError`` if the folder can't be read."""
    claims, notes = [], []
    names = sorted(name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("."))
    if len(names) > _COUNT_LIMIT:
        notes.append(f"{folder} holds {len(names)} claims; only {_COUNT_LIMIT} are read")
    for name in names[:_COUNT_LIMIT]:
        try:
            claims.append(_read(folder / name))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            notes.append(f"{folder / name} is passed over: {str(error) or type(error).__name__}")
    return claims, notes


def _read(path: Path) -> Claim:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise ValueError("it is not a file")
        if not path.name.startswith(f"{info.st_uid}-"):
            raise ValueError("its name is another user's")
        raw = file.read(_SIZE_LIMIT + 1)
    if len(raw) > _SIZE_LIMIT:
        raise ValueError("it is too long")
    return replace(_parse(json.loads(raw)), user=info.st_uid)


def _parse(data: object) -> Claim:
    if not isinstance(data, dict):
        raise TypeError("it is no mapping")
    gpus = data["gpus"]
    if not isinstance(gpus, dict) or len(gpus) > 1024:
        raise TypeError("gpus is no mapping")
    claimer = data["claimer"]
    return Claim(
        folder=_folder(data["folder"]),
        cluster=_short(data["cluster"]),
        address=str(ipaddress.IPv4Address(_short(data["address"]))),
        cpus=_amount(data["cpus"]),
        memory_gb=_amount(data["memory_gb"]),
        gpus={_short(device): _amount(share) for device, share in gpus.items()},
        boot=_short(data["boot"]),
        claimer=None if claimer is None else (int(claimer[0]), int(claimer[1])),
    )


def _folder(value: object) -> str:
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        raise ValueError("folder is no absolute path")
    return value


def _short(value: object) -> str:
    if not isinstance(value, str) or len(value) > 100:
        raise ValueError(f"{str(value)[:40]!r} is no short text")
    return value


def _amount(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{str(value)[:40]!r} is no number")
    if not math.isfinite(value) or not 0 <= value <= _NUMBER_LIMIT:
        raise ValueError(f"{value!r} can't be an amount")
    return float(value)
