"""Task files to start from."""

from __future__ import annotations

BASIC = """\
name: hello

# Where to run; leave it out to take the cheapest place that fits.
# resources:
#   infra: local
#   cpus: 2+

run: |
  echo "hello from $(hostname), rank $SKYX_NODE_RANK of $SKYX_NUM_NODES"
"""

GANG = """\
name: gang

num_nodes: 3

# 'setup' runs on every node first; 'run' starts on all nodes at once, and the first one to fail ends all.
setup: |
  echo "preparing node $SKYX_SETUP_NODE_RANK"

run: |
  head=$(echo "$SKYX_NODE_IPS" | head -n 1)
  echo "rank=$SKYX_NODE_RANK of $SKYX_NUM_NODES, the head is $head"
"""

GPU = """\
name: train

workdir: .

resources:
  accelerators: {L4: 1, A10G: 1, T4: 1}   # any of these, the cheapest first
  use_spot: false
  autostop:
    idle_minutes: 10
    down: true

envs:
  EPOCHS: "3"

setup: |
  pip install -r requirements.txt

run: |
  python train.py --epochs "$EPOCHS"
"""

TEMPLATES: dict[str, str] = {"basic": BASIC, "gang": GANG, "gpu": GPU}
