"""Run by a peer's interpreter: N single-process workers up, one bash on each. Prints both times in ms as JSON."""

import json
import subprocess
import sys
import time

from distributed import Client, LocalCluster  # type: ignore[import-not-found]

BASH = ["/bin/bash", "-c", "echo hi"]


def main() -> None:
    ranks = int(sys.argv[1])
    began = time.perf_counter()
    with (
        LocalCluster(n_workers=ranks, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(ranks)
        client.run(subprocess.check_output, BASH)
        ready = time.perf_counter()
    end = time.perf_counter()
    print(json.dumps([(ready - began) * 1e3, (end - ready) * 1e3]))


if __name__ == "__main__":
    main()
