"""The environment of a rank, built from scratch: nothing of the agent's own gets in."""

from __future__ import annotations

import math
import os
import pwd

from skyx_agent.jobspec import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

    from skyx_agent.cluster import Cluster
    from skyx_agent.job import Job
    from skyx_agent.jobspec import JobSpec
    from skyx_agent.rank import Rank

    Environment = Dict[bytes, bytes]

MARKER = "SKYX_JOB_MARKER"
SANE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def login() -> dict[str, str]:
    """What any process of this user finds after logging in, but for the home folder."""
    try:
        account = pwd.getpwuid(os.getuid())
        user, shell = account.pw_name, account.pw_shell or "/bin/bash"
    except KeyError:
        user, shell = str(os.getuid()), "/bin/bash"
    return {
        "PATH": SANE_PATH, "USER": user, "LOGNAME": user, "SHELL": shell, "LANG": "C.UTF-8",
        "TERM": "dumb", "PYTHONUNBUFFERED": "1",
    }  # fmt: skip


def job_variables(cluster: Cluster, job: Job) -> dict[str, str]:
    """What all processes of a job are told; the same for each, so made once per job."""
    nodes = [cluster.node(place[0]) for place in job.placement]
    return {
        "NODE_IPS": "\n".join(node.address for node in nodes),
        "NUM_NODES": str(len(nodes)),
        "NUM_GPUS_PER_NODE": str(math.ceil(sum(job.accelerators.values()))),
        "TASK_ID": job.task_id,
        "INTERNAL_JOB_ID": str(job.id),
        "CLUSTER_INFO": cluster.info(),
    }


def rank_variables(cluster: Cluster, rank: Rank) -> dict[str, str]:
    """What one process is told about its place."""
    if rank.kind == "rank":
        return {"NODE_RANK": str(rank.rank)}
    addresses = "\n".join(node.address for node in cluster.nodes)
    return {"SETUP_NODE_RANK": str(rank.rank), "SETUP_NODE_IPS": addresses}


def build(
    cluster: Cluster,
    shared: dict[str, str],
    spec: JobSpec,
    rank: Rank,
    *,
    account: dict[str, str],
    mark: str,
    prologue: str,
) -> Environment:
    """Bytes, ready for the kernel. The user's variables win over all of ours but the marker."""
    user = {**spec.envs, **spec.secrets}
    ours = {**shared, **rank_variables(cluster, rank)}
    found = {**account, "HOME": rank.node.home, **rank.node.env}
    found.update({prefix + key: value for key, value in ours.items() for prefix in ("SKYX_", "SKYPILOT_")})
    if rank.kind == "rank" and cluster.has_gpus:
        found["CUDA_VISIBLE_DEVICES"] = ",".join(rank.gpus)
        found["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # the ids above are those of nvidia-smi
    found.update(user)
    found[MARKER] = f"{mark}{rank.kind}-{rank.rank}"
    found["_SKYX_KEEP"] = " ".join([*(key for key in found if key.startswith("SKY")), *user])
    if "BASH_ENV" in user:
        found["_SKYX_BASH_ENV"] = user["BASH_ENV"]
    found["BASH_ENV"] = prologue
    return {encode(key, "a name"): encode(value, f"the value of {key}") for key, value in found.items()}


def marker(cluster: Cluster, job: Job) -> str:
    """What the marker variable of every process of a job begins with."""
    return f"{cluster.uid}:{job.id}:"
