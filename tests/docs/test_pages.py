"""Every block of README and docs is run, or read by what it is meant for."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from docs_pages import Block, blocks, pages, run_page, same, steps
from skyx_core.dirs import Dirs
from skyx_core.settings import Settings
from skyx_core.task import loads

NOT_RUN = {
    "README.md": ["make demo", "make test", "pip install ./skyx_core ./skyx_local ."],
}
SHOWN = {"text", "mermaid"}  # pictures and output


def all_blocks(*languages: str) -> list[Block]:
    return [block for page in pages() for block in blocks(page) if block.language in languages]


def runs(page: str) -> bool:
    return bool(steps(blocks(page)))


@pytest.mark.e2e
@pytest.mark.timeout(330)  # seconds; a busy machine
@pytest.mark.parametrize("page", [page for page in pages() if runs(page)])
def test_what_a_page_says_to_type_works_and_prints_what_it_shows(page: str, tmp_path: Path) -> None:
    outcomes = run_page(page, tmp_path)
    for number, outcome in enumerate(outcomes):
        step = outcome.step
        asked = number + 1 < len(outcomes) and outcomes[number + 1].step.command == "echo $?"
        told = f"{step.block.where}: {step.command}\nended with {outcome.status}:\n{outcome.output}"
        if outcome.status != 0 and not asked:
            pytest.fail(told, pytrace=False)
        if step.expected is not None and not same(step.expected, outcome.output, step.block.marks.get("varies", "")):
            pytest.fail(f"{told}\nthe page shows:\n{step.expected}", pytrace=False)


def test_blocks_that_are_not_run_are_few_and_known() -> None:
    found: dict[str, list[str]] = {}
    for block in all_blocks("bash", "console", "python", "yaml", "toml", "json"):
        if not block.run:
            found.setdefault(block.page, []).append(block.text.splitlines()[0].removeprefix("$ "))
    assert found == NOT_RUN


def test_every_block_has_a_language_that_is_checked() -> None:
    known = SHOWN | {"bash", "console", "python", "yaml", "toml", "json"}
    assert {block.language for page in pages() for block in blocks(page)} <= known


@pytest.mark.parametrize("block", all_blocks("yaml"), ids=lambda block: block.where)
def test_yaml_is_a_task_or_settings(block: Block, tmp_path: Path) -> None:
    if "settings" in block.marks:
        (tmp_path / ".skyx.yaml").write_text(block.text)
        Settings.load(Dirs.under(tmp_path / "home"), {}, tmp_path, None)
    else:
        assert loads(block.text, file=block.where).tasks


@pytest.mark.parametrize("block", all_blocks("toml", "json"), ids=lambda block: block.where)
def test_toml_and_json_can_be_read(block: Block) -> None:
    if block.language == "toml":
        assert tomllib.loads(block.text)
    else:
        assert json.loads(block.text)


@pytest.mark.parametrize("block", all_blocks("python"), ids=lambda block: block.where)
def test_python_compiles(block: Block) -> None:
    compile(block.text, block.where, "exec")
