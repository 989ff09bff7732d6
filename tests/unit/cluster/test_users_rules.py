"""What a session says of the user's own error rules."""

from __future__ import annotations

from pathlib import Path

from builders import offer
from market_clouds import market, session
from skyx_core.cluster.wiring import make_services


def test_a_cloud_that_nothing_knows_is_warned_of_once(tmp_path: Path, capsys) -> None:
    rule = "{code: X, category: quota, cloud: [mras, mars, venus]}"
    with session(tmp_path, market("mars", [offer("mars", "r")]), ("rules", "venus", ())) as one:
        one.dirs.rules_file.write_text(f"rules:\n  - {rule}\n")
        books = make_services(one).rulebooks
        for _ in range(2):
            books.check()
            books.of("mars")
    (warning,) = capsys.readouterr().err.splitlines()
    assert warning.endswith(
        "rules.yaml:2: no driver and no rules for a cloud named 'mras' are installed (did you mean 'mars'?)"
    )
