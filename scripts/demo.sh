#!/bin/sh
# The main job: a gang of three nodes on this machine. Any arguments go to 'skyx launch', such as --env INPUT=/some/folder.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
export PATH
skyx launch examples/gang.yaml -c demo -y --infra local -i 30 --down "$@"
echo "  to use skyx here:    export PATH=\"\$PWD/.venv/bin:\$PATH\"" >&2
