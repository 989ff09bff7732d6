"""Putting the sources together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from skyx_core.dirs import Dirs
from skyx_core.errors import SettingsError
from skyx_core.results import Json
from skyx_core.settings.sources import Found, from_environ, from_files, from_flags
from skyx_core.settings.table import SECTIONS, TABLE

if TYPE_CHECKING:
    from pydantic import BaseModel

SYSTEM_FILE = Path("/etc/skyx/config.yaml")
_SECRET_WORDS = ("secret", "token", "password", "passwd", "credential", "private", "api_key", "access_key")
ModelT = TypeVar("ModelT", bound="BaseModel")


class Settings:
    """Immutable once loaded. ``warnings``: sentences about variables that look like misspelt settings."""

    def __init__(self, found: Mapping[str, Found], warnings: Sequence[str] = ()) -> None:
        """``found``: by dotted key; what is missing has its default."""
        self._found = dict(found)
        self.warnings = tuple(warnings)

    @classmethod
    def load(
        cls,
        dirs: Dirs,
        environ: Mapping[str, str],
        cwd: Path,
        flags: Mapping[str, object] | None = None,
        *,
        system_file: Path = SYSTEM_FILE,
    ) -> Settings:
        """Reads at most three small files. A flag of None was not given. ``SettingsError`` names every mistake."""
        found = from_files((system_file, dirs.settings_file, cwd / ".skyx.yaml"))
        variables, warnings = from_environ(environ)
        return cls({**found, **variables, **from_flags(flags or {})}, warnings)

    def get(self, key: str) -> Json:
        """By dotted key; the default if it is set nowhere; None for an unset key of a cloud or executor."""
        if key in self._found:
            return self._found[key].value
        return TABLE[key].default if key in TABLE else None

    def origin(self, key: str) -> str:
        """Like ``flag --wait``, ``env SKYX_WAIT_SECONDS``, ``/home/me/.config/skyx/config.yaml:12`` or ``default``."""
        return self._found[key].origin if key in self._found else "default"

    def rows(self) -> list[tuple[str, Json, str]]:
        """(key, value, origin) of all, the table's first, then those of clouds and executors; secrets as ``***``."""
        others = sorted(key for key in self._found if key not in TABLE)
        return [(key, _shown(key, self.get(key)), self.origin(key)) for key in (*TABLE, *others)]

    def cloud(self, name: str) -> dict[str, Json]:
        """What the files say under ``clouds.<name>``, put together key by key."""
        return self._section("clouds", name)

    def cloud_model(self, name: str, model: type[ModelT]) -> ModelT:
        """The driver's own settings; ``SettingsError`` with file and line for what its model refuses."""
        return self._model("clouds", name, model)

    def executor_model(self, name: str, model: type[ModelT]) -> ModelT:
        """Like ``cloud_model``."""
        return self._model("executors", name, model)

    @property
    def executor(self) -> str:
        return cast(str, self.get("executor"))

    @property
    def wait_seconds(self) -> float:
        return cast(float, self.get("wait_seconds"))

    @property
    def on_interrupt(self) -> str:
        return cast(str, self.get("on_interrupt"))

    @property
    def progress(self) -> str:
        return cast(str, self.get("progress"))

    @property
    def optimize(self) -> str:
        return cast(str, self.get("optimize"))

    @property
    def color(self) -> str:
        return cast(str, self.get("color"))

    @property
    def input(self) -> bool:
        return cast(bool, self.get("input"))

    @property
    def disable_plugins(self) -> tuple[str, ...]:
        return tuple(cast("list[str]", self.get("disable_plugins")))

    @property
    def disable_clouds(self) -> tuple[str, ...]:
        return tuple(cast("list[str]", self.get("disable_clouds")))

    @property
    def attempt_timeout_s(self) -> float:
        return cast(float, self.get("attempt_timeout_s"))

    @property
    def teardown_timeout_s(self) -> float:
        return cast(float, self.get("teardown_timeout_s"))

    @property
    def call_timeout_s(self) -> float:
        return cast(float, self.get("call_timeout_s"))

    @property
    def retry_pause_s(self) -> float:
        return cast(float, self.get("retry_pause_s"))

    def _section(self, section: str, name: str) -> dict[str, Json]:
        tree: dict[str, Json] = {}
        for found in self._found.values():
            if found.path[:2] == (section, name) and len(found.path) > 2:
                _put(tree, found.path[2:], found.value)
        return tree

    def _model(self, section: str, name: str, model: type[ModelT]) -> ModelT:
        from pydantic import ValidationError

        try:
            return model.model_validate(self._section(section, name))
        except ValidationError as error:
            raise self._refused((section, name), model, error) from error

    def _refused(self, start: tuple[str, ...], model: type[BaseModel], error: ValidationError) -> SettingsError:
        from skyx_core.settings.sources import nearest

        lines = []
        for each in error.errors(include_url=False, include_input=False):
            path = (*start, *(str(part) for part in each["loc"]))
            unknown = each["type"] == "extra_forbidden"
            guess = nearest(path[-1], model.model_fields) if unknown else ""
            text = "unknown setting" if unknown else each["msg"]
            lines.append(
                f"{self._where(path)}: {'.'.join(path)}: {text}" + (f" (did you mean {guess!r}?)" if guess else "")
            )
        return SettingsError(
            f"the settings of {start[1]!r} can't be used", why="\n".join(lines), hint="mend the settings named above"
        )

    def _where(self, path: tuple[str, ...]) -> str:
        """The origin of the nearest thing that was set at, above or below ``path``."""
        for depth in range(len(path), 0, -1):
            for found in self._found.values():
                if found.path[:depth] == path[:depth]:
                    return found.origin
        return "default"


def _put(tree: dict[str, Json], path: tuple[str, ...], value: Json) -> None:
    for name in path[:-1]:
        below = tree.setdefault(name, {})
        if not isinstance(below, dict):
            below = tree[name] = {}
        tree = below
    tree[path[-1]] = value


def _shown(key: str, value: Json) -> Json:
    """``value``, or stars for what looks like a secret; at any depth below."""
    if key.split(".", 1)[0] in SECTIONS and any(word in key.lower() for word in _SECRET_WORDS) and value is not None:
        return "***"
    if isinstance(value, dict):
        return {name: _shown(f"{key}.{name}", item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shown(key, item) for item in value]
    return value


if TYPE_CHECKING:
    from pydantic import ValidationError
