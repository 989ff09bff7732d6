"""A Python of its own for each sandbox: jobs install packages there, and never into this machine's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from skyx_core.node.folders import private_folder

_PIP = """#!{python}
import sys
from pip._internal.cli.main import main
sys.exit(main())
"""


def make_python(folder: Path, final: Path) -> None:
    """A virtual environment over the interpreter that runs this, in a few milliseconds: what ``python -m venv`` makes,
    but for a pip of its own; the base's is used. ``final``: where ``folder`` will be. Raises ``OSError``.
    """
    base = Path(os.path.realpath(sys.executable if sys.prefix == sys.base_prefix else _base_python()))
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    private_folder(folder / "bin")
    private_folder(folder / "lib" / f"python{version}" / "site-packages")
    settings = folder / "pyvenv.cfg"
    settings.write_text(
        f"home = {base.parent}\ninclude-system-site-packages = true\nversion = {sys.version.split()[0]}\n"
    )
    settings.chmod(0o600)
    for name in ("python", "python3", f"python{version}"):
        (folder / "bin" / name).symlink_to(base)
    for name in ("pip", "pip3"):
        script = folder / "bin" / name
        script.write_text(_PIP.format(python=final / "bin" / "python"))
        script.chmod(0o700)


def _base_python() -> str:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    names = (f"python{version}", "python3", "python")
    found = (os.path.join(sys.base_exec_prefix, "bin", name) for name in names)
    return next((path for path in found if os.access(path, os.X_OK)), sys.executable)
