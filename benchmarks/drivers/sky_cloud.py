"""For scripts run by the peer's interpreter: its catalogue from our file, and what stands for the cloud's answers.

The peer brings no catalogue, and asks the cloud for identity, quota, zones and images; those answers are given here.
Its optimizer, its blocks, its rendering, its files and its database are its own.
"""

import contextlib
import csv
import io
import json
import logging
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

HOME = Path(os.environ["HOME"])
CLOUD = "aws"
IMAGES = ("skypilot:custom-cpu-ubuntu", "skypilot:custom-gpu-ubuntu", "skypilot:custom-gpu-ubuntu-cuda13")
os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none", AWS_EC2_METADATA_DISABLED="true")


def answer(value: object) -> None:
    """The last line that is printed is the script's answer."""
    assert sys.__stdout__ is not None
    sys.__stdout__.write("\n" + json.dumps(value) + "\n")


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """The peer talks while it works."""
    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def install_catalogue(source: Path) -> int:
    """Where the peer looks for it, as if it had been downloaded just now. Returns the number of rows."""
    from sky.catalog import constants  # type: ignore[import-not-found]

    base = HOME / ".sky" / "catalogs" / constants.CATALOG_SCHEMA_VERSION
    shutil.rmtree(base, ignore_errors=True)
    folder, common = base / CLOUD, base / "common"
    folder.mkdir(parents=True)
    common.mkdir()
    shutil.copy(source, folder / "vms.csv")
    with source.open() as file:
        regions = [row["Region"] for row in csv.DictReader(file)]
    _table(
        folder / "images.csv",
        ["Tag", "Region", "OS", "OSVersion", "ImageId", "CreationDate"],
        [(tag, region, "ubuntu", "22.04", "ami-0", "20250101") for region in sorted({*regions}) for tag in IMAGES],
    )
    _table(folder / "instance_quota_mapping.csv", ["InstanceType", "OnDemandInstanceCode", "SpotInstanceCode"], [])
    _table(common / "accelerators.csv", ["AcceleratorName", "Clouds"], [("A100", "['AWS']"), ("H100", "['AWS']")])
    _table(common / "metadata.csv", ["GPU", "Manufacturer", "MemoryGB"], [("A100", "NVIDIA", 40)])
    return len(regions)


def _table(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


def stand_in_for_the_cloud() -> None:
    """Enabled, known to it, no limits: everything that would be a call to the cloud."""
    from sky import check, clouds  # type: ignore[import-not-found]
    from sky.catalog import aws_catalog
    from sky.utils import registry  # type: ignore[import-not-found]

    here = [registry.CLOUD_REGISTRY.from_str(CLOUD)]

    def give(value: object) -> Any:
        return classmethod(lambda *_, **__: value)

    check.get_cached_enabled_clouds_or_refresh = lambda *_, **__: here
    check.check_capability = lambda *_, **__: None
    aws_catalog._get_az_mappings = lambda *_, **__: None
    for name, value in {
        "get_active_user_identity": ["me"],
        "get_active_user_identity_str": "me",
        "get_user_identities": [["me"]],
        "get_image_root_device_name": "/dev/sda1",
        "get_image_size": 10,
        "check_quota_available": True,
    }.items():
        setattr(clouds.AWS, name, give(value))


def make_task(*, spot: bool) -> tuple[Any, Any]:
    """A task for eight A100, in a graph by itself."""
    import sky

    path = HOME / "task.yaml"
    path.write_text(
        f"resources: {{infra: {CLOUD}, accelerators: 'A100:8', use_spot: {str(spot).lower()}}}\n"
        "setup: echo setup\nrun: echo hi\n"
    )
    with sky.Dag() as graph:
        task = sky.Task.from_yaml(str(path))
        graph.add(task)
    return graph, task


def chosen(task: Any) -> dict[str, object]:
    best = task.best_resources
    return {"region": best.region, "zone": best.zone, "instance_type": best.instance_type, "spot": best.use_spot}
