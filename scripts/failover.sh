#!/bin/sh
# A launch that fails over three simulated clouds, and how it is explained; needs .venv (see setup.sh).
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
export PATH
type_and_run() {
    printf '\033[1m$ %s\033[0m\n' "$*"
    "$@"
}
export SKYX_SIM_SCENARIO=examples/scenarios/three-clouds.yaml
type_and_run skyx launch -c trip --gpus L4:1 -y -- echo done
type_and_run skyx explain trip --path
