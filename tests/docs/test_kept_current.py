"""What is written from the code is what the code says now."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys

import yaml

import docs_errors
from docs_pages import ROOT, blocks, pages, same
from skyx_core.task import json_schema

DOCS = ROOT / "docs"


def test_the_error_codes_are_those_of_the_error_classes() -> None:
    text = docs_errors.PAGE.read_text(encoding="utf-8")
    assert docs_errors.written(text) == text, "run: python tests/docs_errors.py"


def test_the_schema_beside_the_docs_is_that_of_the_models() -> None:
    written = json.loads((DOCS / "task.schema.json").read_text(encoding="utf-8"))
    assert written == json_schema(), "run: skyx schema > docs/task.schema.json"


def test_the_examples_name_the_schema_where_it_is() -> None:
    for example in sorted((ROOT / "examples").glob("*.yaml")):
        named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", example.read_text(encoding="utf-8"))
        assert named, example
        assert (example.parent / named[1]).resolve() == DOCS / "task.schema.json"


def test_links_of_every_page_lead_to_files_that_are_there() -> None:
    broken = []
    for page in pages():
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not (ROOT / page).parent.joinpath(target).exists():
                broken.append(f"{page}: {target}")
    assert not broken


def test_decisions_say_the_context_the_decision_and_why_and_are_listed() -> None:
    index = (DOCS / "decisions" / "index.md").read_text(encoding="utf-8")
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    records = sorted(path for path in (DOCS / "decisions").glob("*.md") if path.name != "index.md")
    assert records
    for record in records:
        text = record.read_text(encoding="utf-8")
        assert re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", record.name)
        assert text.startswith(f"# {int(record.name[:4])}. ")
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings == ["Context", "Decision", "Why"], record.name
        assert f"({record.name})" in index
        assert f"decisions/{record.name}" in navigation
    assert len({record.name[:4] for record in records}) == len(records), "two decisions have one number"


def test_the_cloud_on_one_page_is_at_most_forty_lines_of_code() -> None:
    text = (DOCS / "plugins.md").read_text(encoding="utf-8")
    code = text.split("<!-- file: skyx-toy/skyx_toy.py -->\n```python\n")[1].split("```")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 40


def test_the_pictures_need_nothing_from_the_network() -> None:
    for picture in ("demo.svg", "failover.svg", "architecture.svg"):
        text = (DOCS / picture).read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[^\s\"'<>]+", text)) - {"http://www.w3.org/2000/svg"}
        assert not addresses, picture
        assert "@font-face" not in text
        assert not re.search(r"url\((?!#)", text)


def lines_of(picture: str) -> str:
    """The text that a picture of a terminal shows."""
    rows: dict[float, list[tuple[float, str]]] = {}
    text = (DOCS / picture).read_text(encoding="utf-8")
    for x, y, words in re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)"[^>]* clip-path[^>]*>([^<]*)</text>', text):
        rows.setdefault(float(y), []).append((float(x), html.unescape(words).replace("\xa0", " ")))
    return "".join("".join(words for _, words in sorted(rows[y])).rstrip() + "\n" for y in sorted(rows))


def test_readme_shows_the_run_that_the_picture_shows() -> None:
    shown = next(block.text for block in blocks("README.md") if block.text.startswith("$ make demo\n"))
    assert same(shown, lines_of("demo.svg")), f"make both from one run; the picture shows:\n{lines_of('demo.svg')}"


def test_the_picture_of_a_failover_shows_every_attempt_that_the_scenario_expects() -> None:
    scenario = yaml.safe_load((ROOT / "examples/scenarios/three-clouds.yaml").read_text(encoding="utf-8"))
    places = scenario["expect"]["attempts"]
    launched, explained = lines_of("failover.svg").split("$ skyx explain trip --path\n")
    tried = re.findall(r"^[!+] +Provisioning (\S+)", launched, re.MULTILINE)
    told = re.findall(r"^[|`]- (?:FAILED|UP) +(\S+)", explained, re.MULTILINE)
    assert tried == told == places, "run: python scripts/record_demo.py failover"


def test_the_recorder_draws_what_a_terminal_would_show() -> None:
    script = ROOT / "scripts" / "record_demo.py"
    code = (
        f"import runpy; screen = runpy.run_path({str(script)!r})['Screen'](); "
        r"screen.feed('one\r\ntwo\x1b[1A\r\x1b[2KONE\r\n\x1b[31mred\x1b[0m!\x1b[?25l'); print(ascii(screen.text()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == r"'ONE\n\x1b[0m\x1b[31mred\x1b[0m!'" + "\n"
