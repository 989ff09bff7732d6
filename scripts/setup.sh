#!/bin/sh
# Prepare .venv with skyx (editable) and everything that its tests, docs and benchmarks use.
# Safe to repeat; does nothing when nothing that it depends on has changed.
set -eu
cd "$(dirname "$0")/.."
venv=.venv

find_python() {
    for name in "${PYTHON:-}" python3.11 python3.12 python3.13 python3.14 python3; do
        [ -n "$name" ] || continue
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    echo "setup: no Python 3.11 or newer found; install one, or set PYTHON=/path/to/python3" >&2
    exit 1
}

python=$(find_python)
fingerprint=$(cat scripts/setup.sh constraints.txt pyproject.toml ./*/pyproject.toml plugins/*/pyproject.toml | "$python" -c \
    'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read() + sys.version.encode()).hexdigest())')
if [ -x $venv/bin/skyx ] && [ "$(cat $venv/.fingerprint 2>/dev/null)" = "$fingerprint" ]; then
    exit 0
fi
echo "setup: preparing $venv with $("$python" --version) (about a minute, once)"
if ! "$python" -m venv $venv; then
    echo "setup: $python can't make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2
    exit 1
fi
pip="$venv/bin/python -m pip --disable-pip-version-check -q --no-input"
tools="hatchling editables hypothesis pytest pytest-xdist pytest-timeout pytest-cov ruff mypy import-linter
    types-PyYAML mkdocs-material"
runtime="pluggy stevedore pydantic pyyaml click rich platformdirs"
# shellcheck disable=SC2086 # lists of words
$pip install --no-compile -c constraints.txt $runtime $tools
# shellcheck disable=SC2086
$pip install --no-build-isolation --no-deps -e skyx_core -e skyx_local -e plugins/skyx_rules_extra -e plugins/skyx_sim -e .
echo "$fingerprint" > $venv/.fingerprint
