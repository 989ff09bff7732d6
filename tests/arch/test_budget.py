"""What is loaded when: heavy modules wait until they are used. Counted by module, not by time."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "asyncio",
    "click",
    "email",
    "importlib.metadata",
    "pluggy",
    "pydantic",
    "rich",
    "sqlite3",
    "stevedore",
    "subprocess",
    "yaml",
}


def loaded_after(code: str) -> set[str]:
    """Modules that ``code`` adds to those of a bare interpreter."""
    program = f"import sys; before = set(sys.modules)\n{code}\nprint('\\n'.join(set(sys.modules) - before))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import skyx_core",
        "import skyx_core.api",
        "import skyx_core.errors",
        "import skyx_core.models",
        "import skyx_core.results",
        "import skyx_core.drivers",
        "import skyx_core.index",
        "import skyx_core.discovery",
        "import skyx_core.loading",
        "import skyx_core.hooks",
        "import skyx_core.calls",
        "from skyx_core.api import CloudError, failpoint, Clock, CloudDriver",
    ],
)
def test_these_load_nothing_heavy(code: str) -> None:
    assert loaded_after(code) & HEAVY == set()


def test_importing_the_package_loads_next_to_nothing() -> None:
    ours = {name for name in loaded_after("import skyx_core") if name.startswith("skyx_core")}
    assert ours == {"skyx_core"}


def test_the_surface_for_plugins_loads_what_is_asked_for() -> None:
    loaded = loaded_after("from skyx_core.api import Offer")
    assert "pydantic" in loaded
    assert loaded & {"pluggy", "stevedore", "rich", "yaml", "skyx_core.node.sandbox", "skyx_core.task"} == set()


def test_an_unused_session_needs_no_hooks_nor_plugins() -> None:
    loaded = loaded_after("from skyx_core import Session")
    assert loaded & {"pluggy", "stevedore", "rich", "paramiko"} == set()
