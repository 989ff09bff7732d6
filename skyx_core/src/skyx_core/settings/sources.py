"""Each source of settings, checked against the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skyx_core.errors import Problem, SettingsError
from skyx_core.results import Json
from skyx_core.settings.table import NOT_SETTINGS, SECTIONS, TABLE, BadValue
from skyx_core.settings.yaml_file import Key, SettingsFile, read

_HINT = "'skyx config show --origin' lists the settings and where each comes from"


@dataclass(frozen=True, slots=True)
class Found:
    """A value that was set. ``path``: its key in parts (names of clouds may hold dots)."""

    path: Key
    value: Json
    origin: str


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like it, or ""."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return close[0] if close else ""


def from_flags(flags: Mapping[str, object]) -> dict[str, Found]:
    """A flag of None was not given."""
    found = {}
    for key, value in flags.items():
        if key not in TABLE:
            guess = nearest(key, TABLE)
            raise SettingsError(f"unknown setting {key!r}", hint=f"did you mean {guess!r}?" if guess else _HINT)
        setting = TABLE[key]
        origin = f"flag {setting.flag or '--' + key.replace('_', '-')}"
        if value is not None:
            try:
                found[key] = Found((key,), setting.parse(value), origin)
            except BadValue as error:
                raise SettingsError(f"{key} {error}", where=origin, why=f"it is {value!r}", hint=_HINT) from None
    return found


def from_environ(environ: Mapping[str, str]) -> tuple[dict[str, Found], list[str]]:
    """Values, and warnings about variables that are almost the name of a setting. An empty variable is unset."""
    found: dict[str, Found] = {}
    known: set[str] = set()
    for setting in TABLE.values():
        known.update(setting.variables)
        name = next((each for each in setting.variables if environ.get(each)), "")
        if not name:
            continue
        try:
            found[setting.key] = Found((setting.key,), setting.from_text(environ[name]), f"env {name}")
        except BadValue as error:
            raise SettingsError(
                f"{name} {error}", where="the environment", why=f"it is {environ[name]!r}", hint=f"unset or mend {name}"
            ) from None
    return found, _misspelt(environ, known)


def _misspelt(environ: Mapping[str, str], known: set[str]) -> list[str]:
    strange = [name for name in environ if name.startswith("SKYX_") and name not in known | NOT_SETTINGS]
    guesses = [(name, nearest(name, known)) for name in sorted(strange)]
    return [f"the variable {name} is not a setting; did you mean {guess}?" for name, guess in guesses if guess]


def from_files(paths: Sequence[Path]) -> dict[str, Found]:
    """Later files win, key by key. All mistakes of all files in one ``SettingsError``."""
    found: dict[str, Found] = {}
    broken: list[SettingsFile] = []
    for path in paths:
        file = read(path)
        if file is None:
            continue
        found = _override(found, list(_entries(file)))
        if file.problems:
            broken.append(file)
    if broken:
        raise _mistakes(broken)
    return found


def _override(found: Mapping[str, Found], entries: Sequence[Found]) -> dict[str, Found]:
    """What a later file says of a key replaces what earlier ones said at, above or below it."""
    exact = {entry.path for entry in entries}
    above = {entry.path[:depth] for entry in entries for depth in range(1, len(entry.path) + 1)}

    def stays(path: Key) -> bool:
        return path not in above and not any(path[:depth] in exact for depth in range(1, len(path)))

    kept = {key: old for key, old in found.items() if stays(old.path)}
    return kept | {".".join(entry.path): entry for entry in entries}


def _entries(file: SettingsFile) -> Iterator[Found]:
    for key, value in file.values.items():
        if key in SECTIONS:
            yield from _section(file, key, value)
        elif key not in TABLE:
            file.problem((key,), "unknown setting", nearest(key, (*TABLE, *SECTIONS)))
        elif value is not None:  # an empty key is an unset one
            try:
                yield Found((key,), TABLE[key].parse(value), file.at((key,)))
            except BadValue as error:
                file.problem((key,), f"{error}, and is {value!r}")


def _section(file: SettingsFile, section: str, value: Json) -> Iterator[Found]:
    if not isinstance(value, dict | None):
        file.problem((section,), "must be a mapping of names to settings")
        return
    for name, settings in (value or {}).items():
        if isinstance(settings, dict):
            yield from _leaves(file, (section, name), settings)
        elif settings is not None:
            file.problem((section, name), "must be a mapping of settings")


def _leaves(file: SettingsFile, path: Key, value: Json) -> Iterator[Found]:
    if isinstance(value, dict) and (value or len(path) == 2):
        for name, item in value.items():
            yield from _leaves(file, (*path, name), item)
    else:
        yield Found(path, value, file.at(path))


def _mistakes(files: Sequence[SettingsFile]) -> SettingsError:
    every = [(file, problem) for file in files for problem in file.in_order()]
    if len(every) == 1:
        file, problem = every[0]
        subject = f"{problem.path}: " if problem.path else "the settings file "
        suggestion = f"did you mean {problem.suggestion!r}? " if problem.suggestion else ""
        return SettingsError(
            f"{subject}{problem.message}", where=_at(file, problem), hint=f"{suggestion}Mend that file; {_HINT}"
        )
    lines = "\n".join(problem.render(str(file.path)) for file, problem in every)
    return SettingsError(f"{len(every)} mistakes in settings", why=lines, hint=f"mend the lines named above; {_HINT}")


def _at(file: SettingsFile, problem: Problem) -> str:
    return f"{file.path}:{problem.line}:{problem.column}" if problem.line else str(file.path)
