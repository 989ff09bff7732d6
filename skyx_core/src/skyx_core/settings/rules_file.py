"""``rules.yaml``: the user's own error rules, which go before all others.

rules:
  - id: my.sold-out
    cloud: aws              # a name or a list of them; without it: every cloud
    code: InsufficientInstanceCapacity
    category: capacity
    block: instance_type_in_region
    ttl: 30m                # or seconds, or until_fixed
    hint: ask for another region
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from skyx_core.errors import SettingsError
from skyx_core.models import ErrorRule, RuleTable
from skyx_core.settings.rule_checks import id_of, rule_of
from skyx_core.settings.sources import nearest
from skyx_core.settings.yaml_file import SettingsFile, read


@dataclass(frozen=True)
class UserRules:
    """Each rule with the clouds that it is for (None = every cloud), in the file's order. ``places``: where each cloud
    is named first.
    """

    rules: tuple[tuple[tuple[str, ...] | None, ErrorRule], ...] = ()
    places: tuple[tuple[str, str], ...] = ()

    def table(self, cloud: str) -> RuleTable:
        rules = tuple(rule for clouds, rule in self.rules if clouds is None or cloud in clouds)
        return RuleTable(rules=rules, code_in_text=True)

    def doubts(self, known: Iterable[str]) -> Iterator[str]:
        """What is probably misspelled: clouds that nothing here knows. ``known``: those that have a driver or rules."""
        names = frozenset(known)
        for cloud, where in self.places:
            if cloud not in names:
                near = nearest(cloud, sorted(names))
                meant = f" (did you mean {near!r}?)" if near else ""
                yield f"{where}: no driver and no rules for a cloud named {cloud!r} are installed{meant}"


def read_rules(path: Path) -> UserRules:
    """No file: no rules. ``SettingsError`` names every mistake with its line and column."""
    file = read(path)
    if file is None:
        return UserRules()
    found = tuple(_rules(file)) if not file.problems else ()
    if file.problems:
        lines = "\n".join(problem.render(str(path)) for problem in file.in_order())
        raise SettingsError(
            f"the file of error rules has {len(file.problems)} mistake{'s' if len(file.problems) != 1 else ''}",
            where=str(path),
            why=lines,
            hint="mend the lines named above, or move the file away",
        )
    return UserRules(tuple((clouds, rule) for _, clouds, rule in found), _places(file, found))


Found = tuple[int, tuple[str, ...] | None, ErrorRule]


def _places(file: SettingsFile, found: Iterable[Found]) -> tuple[tuple[str, str], ...]:
    places: dict[str, str] = {}
    for number, clouds, _ in found:
        for cloud in clouds or ():
            places.setdefault(cloud, file.at(("rules", str(number), "cloud")))
    return tuple(places.items())


def _rules(file: SettingsFile) -> Iterator[Found]:
    for name in file.values:
        if name != "rules":
            file.problem((name,), "is unknown here", nearest(name, ("rules",)))
    rows = file.values.get("rules")
    if not isinstance(rows, list):
        if rows is not None:
            file.problem(("rules",), "must be a list of rules")
        return
    first: dict[str, int] = {}
    for number, row in enumerate(rows):
        key = ("rules", str(number))
        if not isinstance(row, dict):
            file.problem(key, f"rule {number + 1} must be a mapping")
            continue
        name = id_of(key, row)
        if first.setdefault(name, number) != number:
            place = (*key, "id") if (*key, "id") in file.positions else key
            file.problem(place, f"rule {first[name] + 1} has the id {name!r} too; each needs its own")
        for clouds, rule in rule_of(file, key, row):
            yield number, clouds, rule
