"""A fake node is a place where the real agent runs, and ends."""

from __future__ import annotations

import json

from skyx_core.cluster.agent_start import start_agent
from skyx_core.testing import eventually, process_lives


def test_the_agent_starts_on_the_head_and_ends_with_its_node(bench, tmp_path):
    cluster = bench.driver.provision(bench.place, bench.request(2), bench.attempt())
    runner = bench.driver.runner(bench.handle, cluster.nodes[0])
    assert start_agent(runner, {}, tmp_path)
    described = runner.run(["bash", "-c", "find . -name agent.json -exec cat {} +"], timeout=5, cwd="~").stdout
    pids = [value for key, value in json.loads(described).items() if key.endswith("pid")]
    assert len(pids) == 2
    assert all(process_lives(pid) for pid in pids)
    eventually(lambda: bench.driver.teardown(bench.handle, bench.place).done)
    assert not any(process_lives(pid) for pid in pids)
