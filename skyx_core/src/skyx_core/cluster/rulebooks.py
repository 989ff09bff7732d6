"""The rules of each cloud, joined: the user's file, then plugins' tables, then the driver's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from skyx_core.errors import CloudError, PluginError, PluginNotInstalledError

if TYPE_CHECKING:
    from skyx_core.discovery import Plugins
    from skyx_core.failover.rules import Rulebook
    from skyx_core.models import ErrorRule, RuleTable
    from skyx_core.settings.rules_file import UserRules

    Rules = tuple[ErrorRule, ...] | RuleTable


class Rulebooks:
    """Made once per session and cloud. Thread-safe. A plugin's table that is broken is named and left out."""

    def __init__(
        self,
        plugins: Plugins,
        user_file: Path,
        warn: Callable[[str], None],
        ask_driver: Callable[[str], Rules] = lambda _: (),
    ) -> None:
        """``ask_driver``: the rules of a cloud's driver, as it is set up."""
        self._plugins = plugins
        self._user_file = user_file
        self._warn = warn
        self._ask_driver = ask_driver
        self._made: dict[str, Rulebook] = {}
        self._users: UserRules | None = None
        self._lock = threading.Lock()

    def of(self, cloud: str) -> Rulebook:
        """Raises ``SettingsError`` for mistakes in the user's file."""
        from skyx_core.failover.rules import Rulebook

        with self._lock:
            if cloud not in self._made:
                self._made[cloud] = Rulebook(tuple(self._tables(cloud)))
            return self._made[cloud]

    def known(self, cloud: str) -> bool:
        """Whether anything but the usual rules is there for a cloud."""
        return any(cloud in self._plugins.names(kind) for kind in ("rules", "cloud"))

    def names(self) -> list[str]:
        """Clouds that have rules or a driver."""
        return sorted({*self._plugins.names("rules"), *self._plugins.names("cloud")})

    def check(self) -> None:
        """Raise ``SettingsError`` for mistakes in the user's file; what is doubtful in it is a warning."""
        with self._lock:
            self._of_user()

    def _of_user(self) -> UserRules:
        """Read once; a file that has mistakes is read again."""
        from skyx_core.settings.rules_file import read_rules

        if self._users is None:
            self._users = read_rules(self._user_file)
            for doubt in self._users.doubts(self.names()) if self._users.places else ():
                self._warn(doubt)
        return self._users

    def _tables(self, cloud: str) -> Iterator[RuleTable]:
        yield self._of_user().table(cloud)
        try:
            yield from self._plugins.rules(cloud)
        except PluginError as error:
            self._warn(f"error rules for {cloud}: {error}")
        yield from self._of_driver(cloud)

    def _of_driver(self, cloud: str) -> Iterator[RuleTable]:
        from skyx_core.loading import as_table

        try:
            yield as_table(self._ask_driver(cloud))
        except PluginNotInstalledError:
            return
        except (PluginError, CloudError) as error:
            self._warn(f"error rules for {cloud}: {error}")
