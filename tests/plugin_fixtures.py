"""Little real distributions (``tests/data/plugins``), installed into a folder or an environment of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from skyx_core.calls import Caller
from skyx_core.clock import SystemClock
from skyx_core.discovery import Plugins

SOURCES = Path(__file__).parent / "data" / "plugins"


def build_wheel(name: str, folder: Path) -> Path:
    """A wheel of one of the distributions, without any build tool."""
    source = SOURCES / name
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    stem = f"{name.replace('-', '_')}-{project['version']}"
    requires = "".join(f"Requires-Dist: {line}\n" for line in project.get("dependencies", ()))
    points = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in names.items()) + "\n"
        for group, names in project.get("entry-points", {}).items()
    )
    files = {
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n{requires}",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{stem}.dist-info/entry_points.txt": points,
        **{file.name: file.read_text() for file in sorted(source.glob("*.py"))},
    }
    record = "".join(f"{path},,\n" for path in [*files, f"{stem}.dist-info/RECORD"])
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**files, f"{stem}.dist-info/RECORD": record}.items():
            archive.writestr(path, text)
    return wheel


def install(name: str, site: Path) -> None:
    """What installing the wheel leaves in ``site``."""
    site.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(build_wheel(name, Path(folder))) as archive:
        archive.extractall(site)


def uninstall(name: str, site: Path) -> None:
    """Take it out again, modules and metadata."""
    for file in (SOURCES / name).glob("*.py"):
        (site / file.name).unlink()
    for folder in site.glob(f"{name.replace('-', '_')}-*.dist-info"):
        shutil.rmtree(folder)


@dataclass(frozen=True)
class Environment:
    """A virtual environment that also sees all that this one has. Not under /tmp, where stevedore's cache is off."""

    root: Path

    @property
    def python(self) -> str:
        return str(self.root / "bin" / "python")

    @property
    def site(self) -> Path:
        return next((self.root / "lib").glob("python3*")) / "site-packages"

    def environ(self, **more: str) -> dict[str, str]:
        """The caller's variables, with folders of this environment's own."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("SKYX_", "PYTHON", "COV_"))}
        return {**kept, "XDG_CACHE_HOME": str(self.root / "cache"), "SKYX_HOME": str(self.root / "home"), **more}

    def run(
        self, *arguments: str, timeout: float = 60, environ: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run its interpreter to the end."""
        return subprocess.run(
            [self.python, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.root,
            env=self.environ(**(environ or {})),
            check=False,
        )


def _parent_folder() -> Path:
    inside = Path(sys.prefix) / "test-environments"
    return Path.home() / ".cache" / "skyx-test-environments" if str(inside).startswith("/tmp") else inside


@contextmanager
def environment(*names: str) -> Iterator[Environment]:
    """A new environment with these distributions in it; removed at the end."""
    parent = _parent_folder()
    parent.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(dir=parent))
    try:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True, timeout=60)
        made = Environment(root)
        ours = [entry for entry in sys.path if entry.endswith("site-packages")]
        lines = "".join(f"import site; site.addsitedir({entry!r})\n" for entry in ours)
        (made.site / "outer.pth").write_text(lines)
        for name in names:
            install(name, made.site)
        yield made
    finally:
        shutil.rmtree(root, ignore_errors=True)


def plugins(**options: object) -> Plugins:
    """Discovery with the machine's clock."""
    return Plugins(caller=Caller(SystemClock()), **options)  # type: ignore[arg-type]
