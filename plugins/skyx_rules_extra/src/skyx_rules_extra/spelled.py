"""Rules for clouds' error codes that only stand in a text: what a tool printed, or an error wrapped by another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skyx_core.api import ErrorRule

CodeInText = Callable[[str], str]
"""From a rule's ``code`` to a regular expression that finds it in a text ("" = it can't be told from plain words)."""


def also_in_text(rules: Iterable[ErrorRule], code_in_text: CodeInText) -> tuple[ErrorRule, ...]:
    """The rules, each that goes by a code followed by a twin for errors that have no code of their own.

    The twin wants the code in the text, and what else the rule wants. Its id is the rule's with ``.text``.
    """
    return tuple(one for rule in rules for one in (rule, _twin(rule, code_in_text)) if one is not None)


def _twin(rule: ErrorRule, code_in_text: CodeInText) -> ErrorRule | None:
    found = code_in_text(rule.code) if rule.code else ""
    if not found:
        return None
    wanted = (found,) if rule.message is None else (found, rule.message)
    message = r"\A" + "".join(f"(?=.*(?:{each}))" for each in wanted)
    return rule.model_copy(update={"id": f"{rule.id}.text", "code": "", "message": message})
