"""Reading a task file from disk."""

from __future__ import annotations

import codecs
from pathlib import Path

from skyx_core.errors import Problem, TaskFileError
from skyx_core.task.document import MAX_BYTES
from skyx_core.task.mistakes import nearest

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(path: Path) -> str:
    """The text of the file, UTF-8 or UTF-16 with a byte order mark. Raises ``TaskFileError``."""
    try:
        data = _read(path)
    except FileNotFoundError:
        raise _error(path, "no such file", suggestion=_neighbour(path)) from None
    except IsADirectoryError:
        raise _error(path, "this is a directory, not a task file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _error(path, f"can't be read: {reason}") from None
    encoding = "utf-16" if data.startswith(_UTF16) else "utf-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise _error(path, f"is not {encoding.upper()} text (byte {error.start})", (line, column)) from None


def _read(path: Path) -> bytes:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError("it is not a regular file")  # a pipe or device might never end
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _error(path, f"is larger than {MAX_BYTES // 2**20} MiB; a task file is a page or two", (1, 1))
    return data


def _error(path: Path, message: str, mark: tuple[int, int] = (0, 0), suggestion: str = "") -> TaskFileError:
    error = TaskFileError(str(path), [Problem("", message, *mark, suggestion)])
    if not any(mark):
        error.what = f"{path}: {message}"
        error.hint = (
            f"did you mean {suggestion}?" if suggestion else "pass the path of a task file; 'skyx init' writes one"
        )
    return error


def _neighbour(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix in {".yaml", ".yml"}][:1000]
    except (OSError, ValueError):
        return ""
    found = nearest(path.name, names)
    return str(path.parent / found) if found else ""
