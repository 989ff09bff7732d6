"""Words of a text that may be an error's code: answers without a code of their own often have it in their text."""

from __future__ import annotations

import re

_LONGEST, _MOST = 100, 100
_WORD = re.compile(r"(?<![\w./-])[A-Za-z]\w*(?:[./-]+\w+)*")
_TELLING = re.compile(r"[a-z0-9][A-Z]|[A-Za-z]\d|[_./-]")
_MODULE = re.compile(
    r"(?:[a-z_][a-z0-9_]*\.)+([A-Z]\w*(?:Error|Exception))|(?:[a-z_]\w*\.)*(?:exception|error)s?\.([A-Z]\w*)"
)
_PLACED = re.compile(
    r"\(([A-Z][^\s()]{1,98}(?=\))|[a-z][^\s()]{1,98}(?=\):))"  # (Code), (code):
    r"|(?<![\w./-])([A-Z][a-z]{3,60})(?=:(?!\w))"  # Code: at the head of what follows
)
_LABELLED = re.compile(
    r"(?:\b|_)(?:[Cc]ode|CODE|[Rr]eason|REASON|[Ss]tatus|STATUS)[\"']?\s{0,3}[:=]\s{0,3}[\"']?([A-Za-z]\w{1,98})"
)
_LABELS = ("ode", "ODE", "eason", "EASON", "tatus", "TATUS")


def codes_in(text: str) -> tuple[str, ...]:
    """Each once, two hundred at most, in no order that means anything.

    A word counts whole: ``RequestLimitExceeded`` is not ``LimitExceeded``, nor is ``x.LimitExceeded`` or
    ``LimitExceeded-2``. Words that could stand in any sentence count only where tools put codes: ``(Code)``,
    ``Code: what happened``, ``code = Code``. Exceptions count with and without their module.
    """
    short = " ".join([word for word in text.split() if not (word.isalpha() and (word.islower() or word.istitle()))])
    found = {one or other for one, other in _PLACED.findall(short)}
    for word in _WORD.findall(short):
        if _TELLING.search(word) and len(word) <= _LONGEST:
            found.add(word)
            module = _MODULE.fullmatch(word) if "." in word else None
            if module:
                found.add(module[1] or module[2])
        if len(found) >= _MOST:
            break
    if any(label in text for label in _LABELS):
        found.update(_LABELLED.findall(text)[:_MOST])
    return tuple(found)
