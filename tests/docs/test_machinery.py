"""What checks the pages can itself fail."""

from __future__ import annotations

import pytest

from docs_pages import blocks, console_steps, same, steps


def page(*lines: str) -> str:
    return "\n".join(lines)


def test_a_block_has_its_language_its_text_and_the_marks_right_above_it() -> None:
    text = page("<!-- varies: time -->", "words", "<!-- file: a.yaml -->", "", "```yaml", "run: x", "```")
    [block] = blocks("p.md", text)
    assert (block.language, block.text, block.marks, block.line) == ("yaml", "run: x\n", {"file": "a.yaml"}, 5)


@pytest.mark.parametrize("lines", [("```bash", "true"), ("```", "text", "```")])
def test_a_block_that_is_not_closed_or_has_no_language_is_refused(lines: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"p\.md:1"):
        blocks("p.md", page(*lines))


def test_console_blocks_are_commands_with_their_output() -> None:
    [block] = blocks("p.md", page("```console", "$ echo a \\", "> b", "a b", "$ true", "```"))
    assert [(step.command, step.expected) for step in console_steps(block)] == [("echo a \\\nb", "a b\n"), ("true", "")]


def test_what_is_marked_as_not_run_is_no_step() -> None:
    assert steps(blocks("p.md", page("<!-- not run: needs root -->", "```bash", "reboot", "```"))) == []


@pytest.mark.parametrize(
    ("shown", "printed", "varies", "expected"),
    [
        ("a\n", "a\n", "", True),
        ("a\n", "b\n", "", False),
        ("a\n", "a\nb\n", "", False),
        ("a\n...\n", "a\nb\nc\n", "", True),
        ("...\nc\n", "a\nb\n", "", False),
        ("took ... s\n", "took 17.2 s\n", "", True),
        ("1   x\n", "1 x\n", "", True),
        ("took 1.0 s\n", "took 2 s\n", "seconds", True),
        ("took 1.0 s\n", "took 2 s\n", "", False),
        ("at 127.1.2.3\n", "at 127.9.9.9\n", "address", True),
        ("a\nb\n", "b\na\n", "order", True),
        ("a\nb\n", "b\nb\n", "order", False),
        ("(x) [y]\n", "(x) [y]\n", "", True),
    ],
)
def test_output_is_compared_with_what_is_shown(shown: str, printed: str, varies: str, expected: bool) -> None:
    assert same(shown, printed, varies) is expected
