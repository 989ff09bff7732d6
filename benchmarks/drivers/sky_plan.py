"""Run by a peer's interpreter: CATALOGUE REPEATS. Ranks eight A100 on spot; prints its times in ms and its choice.

The first time is cold in memory (the file is read then), the others are warm.
"""

import sys
import time
from pathlib import Path

import sky_cloud  # type: ignore[import-not-found]


def main() -> None:
    source, repeats = Path(sys.argv[1]), int(sys.argv[2])
    with sky_cloud.quietly():
        from sky import optimizer  # type: ignore[import-not-found]
        from sky.utils import common  # type: ignore[import-not-found]

        rows = sky_cloud.install_catalogue(source)
        sky_cloud.stand_in_for_the_cloud()
        times = []
        for _ in range(1 + repeats):
            graph, task = sky_cloud.make_task(spot=True)
            began = time.perf_counter()
            optimizer.Optimizer.optimize(graph, minimize=common.OptimizeTarget.COST, quiet=True)
            times.append((time.perf_counter() - began) * 1e3)
    sky_cloud.answer({"rows": rows, "times": times, "first": sky_cloud.chosen(task)})


if __name__ == "__main__":
    main()
