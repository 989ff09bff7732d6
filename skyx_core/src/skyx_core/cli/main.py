"""``skyx``: from ``sys.argv`` to an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from skyx_core.cli import interrupts

TYPE_CHECKING = False  # typing itself would be most of the time in which Ctrl-C isn't ours yet
if TYPE_CHECKING:
    from skyx_core.cli.app import App

BROKEN_PIPE = 141  # what a shell shows for a program that SIGPIPE ended


def main(argv: Sequence[str] | None = None) -> int:
    """The program. Owns the process's stdout from here on; ends without waiting for threads of hung plugins."""
    interrupts.end_at_once()
    try:
        return _program(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return interrupts.INTERRUPTED
    finally:
        interrupts.end_quietly()


def _program(args: list[str]) -> int:
    # pydantic would read the metadata of every installed distribution at its first model to look for its own plugins
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if args in (["--version"], ["-V"]):
        return _version()
    if "_SKYX_COMPLETE" in os.environ:
        return _complete(args)
    from skyx_core.cli.app import App
    from skyx_core.cli.streams import claim

    streams = claim()
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = "/"
    app = App(streams, environ=dict(os.environ), cwd=cwd, command=_line(args))
    app.begun = interrupts.raise_again
    return run(app, args)


def run(app: App, args: Sequence[str]) -> int:
    """One command line within this process; every failure becomes a message and an exit code."""
    import click

    from skyx_core.cli.streams import ReaderGone
    from skyx_core.cli.tree import build

    try:
        code = build().main(list(args) or ["--help"], prog_name="skyx", standalone_mode=False, obj=app)
        return int(code or 0)
    except click.ClickException as error:
        from skyx_core.cli.failures import from_click, report

        return report(app, from_click(error))
    except (KeyboardInterrupt, click.Abort):
        _end_at_next_ctrl_c()
        app.note("interrupted; 'skyx status' shows what is there")
        return 130
    except ReaderGone:
        return BROKEN_PIPE
    except Exception as error:
        from skyx_core.cli.failures import from_any, report

        if app.environ.get("SKYX_DEBUG"):
            import traceback

            app.note(traceback.format_exc())
        return report(app, from_any(error))
    finally:
        _close(app)


def _end_at_next_ctrl_c() -> None:
    """Tidying up after a Ctrl-C must not keep the user waiting for ever."""
    import signal
    import threading

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))


def _close(app: App) -> None:
    try:
        app.close()
    except Exception as error:
        app.note(f"warning: closing failed: {error}")


_HIDDEN = frozenset({"--secret", "--env"})


def _is_short(word: str) -> bool:
    return word[:1] == "-" and word[:2] != "--"


def _takes_variable(word: str) -> bool:
    """``--env``, ``-e``, or short flags that end with it: the next word is KEY=VALUE."""
    return word in _HIDDEN or (_is_short(word) and word.endswith("e") and "=" not in word)


def _line(args: Sequence[str]) -> str:
    """The command for the record; values of secrets and variables are left out."""
    from shlex import join

    shown: list[str] = []
    hide = False
    for word in args:
        name, has_value, _ = word.partition("=")
        glued = name in _HIDDEN or (_is_short(name) and "e" in name)  # --env=K=V, -eK=V, -yeK=V
        shown.append(f"{name}=***" if has_value and (hide or glued) else word)
        hide = _takes_variable(word)
    return join(["skyx", *shown])


def _version() -> int:
    from skyx_core.cli.version import VERSION

    try:
        os.write(1, f"skyx {VERSION}\n".encode())
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            import contextlib

            with contextlib.suppress(OSError):
                os.write(2, f"error: stdout can't be written: {os.strerror(error.errno or 0)}\n".encode())
        return 1
    return 0


def _complete(args: Sequence[str]) -> int:
    """A question of a shell's completion script, which reads stdout; nothing may fail loudly here."""
    from skyx_core.cli.app import App
    from skyx_core.cli.streams import Streams
    from skyx_core.cli.tree import build

    def silent(data: bytes) -> None:
        del data

    app = App(Streams(silent, silent), environ=dict(os.environ), cwd=os.getcwd())
    try:
        build().main(list(args), prog_name="skyx", complete_var="_SKYX_COMPLETE", obj=app)
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:
        return 1


if __name__ == "__main__":
    sys.exit(main())
