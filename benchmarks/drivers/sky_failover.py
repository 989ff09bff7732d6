"""Run by a peer's interpreter: CATALOGUE [--cachefix]. Every zone but the last fails to give eight A100 on spot.

Prints the moments in ms at which its provisioner asked the cloud, counted from its start. ``--cachefix`` remembers
which accelerators a type has: its own cache for that never hits.
"""

import functools
import sys
import time
from pathlib import Path
from typing import Any

import sky_cloud  # type: ignore[import-not-found]

WHEEL = 4 << 20  # bytes that each attempt copies


class NoCapacityError(Exception):
    """Of a cloud that answers at once."""


def main() -> None:
    source, mended = Path(sys.argv[1]), "--cachefix" in sys.argv
    with sky_cloud.quietly():
        sky_cloud.install_catalogue(source)
        sky_cloud.stand_in_for_the_cloud()
        asked, total = search(mended)
    sky_cloud.answer({"asked": asked, "total": total})


def search(mended: bool) -> tuple[list[float], float]:
    import sky  # type: ignore[import-not-found]
    from sky import optimizer
    from sky.backends import cloud_vm_ray_backend as backend  # type: ignore[import-not-found]

    graph, task = sky_cloud.make_task(spot=True)
    cost = sky.OptimizeTarget.COST
    if mended:
        known = functools.cache(sky.AWS.get_accelerators_from_instance_type)
        sky.AWS.get_accelerators_from_instance_type = staticmethod(known)
    optimizer.Optimizer.optimize(graph, minimize=cost, quiet=True)
    zones = Path(sys.argv[1]).read_text().count(f"\n{task.best_resources.instance_type},")
    asked: list[float] = []
    began = time.perf_counter()
    answer_as_a_cloud(asked, began, zones)
    wheel = sky_cloud.HOME / "wheel"
    wheel.mkdir(exist_ok=True)
    (wheel / "it.whl").write_bytes(bytes(WHEEL))
    logs = str(sky_cloud.HOME / "logs")
    search = backend.RetryingVmProvisioner(
        logs,
        graph,
        cost,
        set(),
        str(wheel),
        "digest",
        blocked_resources=None,
        is_managed=False,
        extra_launch_context={},
    )
    first = backend.RetryingVmProvisioner.ToProvisionConfig("bench", task.best_resources, 1, None, None, False, None)
    search.provision_with_retries(task, first, False, False, False)
    return asked, (time.perf_counter() - began) * 1e3


def answer_as_a_cloud(asked: list[float], began: float, zones: int) -> None:
    """The last zone gives a machine, all others say that they have none."""
    from sky import provision
    from sky.provision import common, provisioner  # type: ignore[import-not-found]

    def make(_cloud: str, region: Any, zones_asked: Any, *_: object, **__: object) -> Any:
        asked.append((time.perf_counter() - began) * 1e3)
        if len(asked) < zones:
            raise NoCapacityError("InsufficientInstanceCapacity: made up")
        return common.ProvisionRecord(sky_cloud.CLOUD, region.name, zones_asked[0].name, "bench", "i-0", [], ["i-0"])

    provisioner.bulk_provision = make
    provision.query_instances = lambda *_, **__: {}
    for name in ("cleanup_ports", "cleanup_custom_multi_network", "cleanup_cluster_resources"):
        setattr(provision, name, lambda *_, **__: None)


if __name__ == "__main__":
    main()
