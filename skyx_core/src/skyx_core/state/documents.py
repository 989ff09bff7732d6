"""Models as versioned JSON: ``{"v": 1, ...}``. An old one is brought up to date when it is read; never pickle."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from skyx_core.errors import StateStoreError, StateTooNewError
from skyx_core.results import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

ModelT = TypeVar("ModelT", bound="BaseModel")
Upgrade = Callable[[dict[str, Json]], dict[str, Json]]

UPGRADES: Mapping[str, Sequence[Upgrade]] = {}
"""Per model name; entry n (from 0) brings version n+1 to version n+2. Released entries are never edited."""


def encode(model: BaseModel, upgrades: Mapping[str, Sequence[Upgrade]] = UPGRADES) -> str:
    """The model's fields and the version of their layout."""
    version = len(upgrades.get(type(model).__name__, ())) + 1
    return json.dumps({"v": version, **model.model_dump(mode="json")}, separators=(",", ":"))


def decode(kind: type[ModelT], text: str, upgrades: Mapping[str, Sequence[Upgrade]] = UPGRADES) -> ModelT:
    """Raises ``StateStoreError`` for what can't be read and ``StateTooNewError`` for a newer version."""
    steps = upgrades.get(kind.__name__, ())
    try:
        data = json.loads(text)
        version = data.pop("v")
        if version > len(steps) + 1:
            raise StateTooNewError(
                f"a {kind.__name__} in the record was written by a newer skyx",
                why=f"it has version {version}, and this release knows versions up to {len(steps) + 1}",
                hint="upgrade skyx ('pip install -U skyx'); nothing was changed",
            )
        for step in steps[version - 1 :]:
            data = step(data)
        return kind.model_validate_json(json.dumps(data))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        first = str(error).splitlines()[0] if str(error) else repr(error)
        raise StateStoreError(f"a {kind.__name__} in the record can't be read", why=first) from error
