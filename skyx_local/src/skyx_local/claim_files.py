"""The files of the ledger. Other users' files are read with distrust: bounded, never followed, checked."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import math
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from skyx_local.claims import Claim

_SIZE_LIMIT = 16 * 1024
_COUNT_LIMIT = 50_000
_NUMBER_LIMIT = 1e9


_NAME = re.compile(r"(\d{1,10})-[0-9a-f]{24}\.json")
_FOLDER = re.compile(r'"folder": ?("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True)
class Unreadable:
    """A claim of which it isn't known what it holds. ``node``: the folder that it is for, "" if that is lost too."""

    path: Path
    why: str
    user: int
    node: str = ""


def path_of(folder: Path, claim_folder: str, user: int | None = None) -> Path:
    """Where a user's claim (this one's) for a node's folder is kept."""
    digest = hashlib.sha256(os.fsencode(claim_folder)).hexdigest()[:24]
    return folder / f"{os.getuid() if user is None else user}-{digest}.json"


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


def remove(folder: Path, claim_folder: str) -> None:
    """What is already gone is success."""
    path_of(folder, claim_folder).unlink(missing_ok=True)


def read_all(folder: Path) -> tuple[list[Claim], list[str], list[Unreadable]]:
    """(claims by file name, notes on files that can't be read, those of them that are claims). Other files than claims
    are passed over. Raises ``OSError`` if the folder can't be read.
    """
    claims, notes, damaged = [], [], []
    names = sorted(name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("."))
    if len(names) > _COUNT_LIMIT:
        notes.append(f"{folder} holds {len(names)} claims; only {_COUNT_LIMIT} are read")
    for name in names[:_COUNT_LIMIT]:
        try:
            claims.append(_read(folder / name))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            why = str(error) or type(error).__name__
            found = _unreadable(folder, name, why)
            damaged += [found] if found else []
            notes.append(f"{folder / name} {'is damaged' if found else 'is passed over'}: {why}")
    return claims, notes, damaged


def _unreadable(folder: Path, name: str, why: str) -> Unreadable | None:
    """None of a file that its user's claims can't have been in: no such name, or another owner."""
    path, match = folder / name, _NAME.fullmatch(name)
    try:
        if match is None or os.lstat(path).st_uid != int(match[1]):
            return None
    except OSError:
        return None
    user = int(match[1])
    return Unreadable(path, why, user, _node_of(path, user))


def _node_of(path: Path, user: int) -> str:
    """The node's folder, if what is left of the file names it and the file's name bears it out."""
    with suppress(OSError, ValueError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            text = file.read(_SIZE_LIMIT).decode("utf-8", "replace")
        for found in _FOLDER.findall(text):
            node = _folder(json.loads(found))
            if path_of(path.parent, node, user) == path:
                return node
    return ""


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
