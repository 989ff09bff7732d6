"""The two small shell files that stand between the agent and a user's script.

The wrapper (run by /bin/sh) is what survives the agent: it takes the start mark or gives up, runs the script, and
writes its exit status. The prologue is read by bash before the script through BASH_ENV, so ``$0``, exit codes and
shell options of the script stay its own.
"""

from __future__ import annotations

import os

from skyx_agent.files import write_plainly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

SH = "/bin/sh"
BASH_PLACES = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash")

WRAPPER = """\
# usage: wrapper START_MARK EXIT_MARK WORKDIR FALLBACK PROGRAM [ARGUMENT...]
# What this shell itself would say (that the program was killed, say) is not for the log: its stderr leads nowhere.
# A signal to the group must end the program, not this shell: it still has to write the exit status.
trap : TERM INT HUP QUIT
umask 077
read -r _skyx_stat < /proc/$$/stat
set -C
if ! echo "$_skyx_stat" > "$1"; then
  [ -s "$1" ] || echo "skyx: the start can't be recorded in $1: is the disk full?"
  exit 125
fi
set +C
_skyx_exit=$2
if ! cd -- "$3" 2>/dev/null && ! { [ -n "$4" ] && cd -- "$4" 2>/dev/null; }; then
  echo "skyx: the working directory $3 can't be entered"
  echo 126 > "$_skyx_exit"
  exit 126
fi
shift 4
unset OLDPWD
umask 022
(exec "$@" 2>&1)
_skyx_code=$?
umask 077
echo "$_skyx_code" > "$_skyx_exit"
exit "$_skyx_code"
"""

PROLOGUE = """\
unset BASH_ENV
if [ -r "$HOME/.bashrc" ]; then
  __skyx_kept=$(declare -px $_SKYX_KEEP 2>/dev/null)
  . "$HOME/.bashrc"
  eval "$__skyx_kept"
  unset __skyx_kept
fi
if command -v conda >/dev/null 2>&1; then
  eval "$(conda shell.bash hook 2>/dev/null)"
fi
if [ -n "$_SKYX_BASH_ENV" ]; then
  export BASH_ENV="$_SKYX_BASH_ENV"
fi
unset _SKYX_KEEP _SKYX_BASH_ENV
"""


class Shell:
    """Where the wrapper and the prologue lie, and the argument lists that use them."""

    def __init__(self, folder: str) -> None:
        self._wrapper = os.path.join(folder, "wrapper.sh")
        self.prologue = os.path.join(folder, "prologue.sh")
        self._bash = next((place for place in BASH_PLACES if os.access(place, os.X_OK)), "bash")

    def install(self) -> None:
        """Write both files anew (each start of the agent: a new version may bring new ones)."""
        for path, text in ((self._wrapper, WRAPPER), (self.prologue, PROLOGUE)):
            write_plainly(path + ".part", text.encode("ascii"))
            os.replace(path + ".part", path)

    def wrap(self, marks: tuple[str, str], workdir: str, fallback: str, program: list[str]) -> list[str]:
        return [SH, self._wrapper, marks[0], marks[1], workdir, fallback, *program]

    def run_script(self, path: str, text: bytes) -> list[str]:
        """bash, or the interpreter that the script's first line names (started by a bash that read the prologue)."""
        interpreter = shebang(text)
        return [self._bash, path] if interpreter is None else self.run_program([*interpreter, path])

    def run_program(self, program: list[str]) -> list[str]:
        return [self._bash, "-c", 'exec "$@"', "bash", *program]


def shebang(text: bytes) -> List[str] | None:
    """The interpreter and its one argument, as the kernel reads ``#!``."""
    first = text[:512].split(b"\n", 1)[0]
    if not first.startswith(b"#!"):
        return None
    words = os.fsdecode(first[2:]).strip().split(None, 1)
    return words or None
