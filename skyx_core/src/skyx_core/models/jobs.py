"""Jobs as core hands them to executors and to the agent."""

from pydantic import Field  # noqa: TID253 - models are pydantic

from skyx_core.models.base import Model


class JobSpec(Model):
    """One run of a task on a cluster. Text is carried as data, never as part of a command line.

    ``run``: one script for all ranks, or one per rank (None = nothing to do for that rank). ``setup`` runs on
    every live node first. ``submit_id``: the same id is never queued twice. ``accelerators``: per node, fractions
    allowed; empty = reserves nothing.
    """

    submit_id: str
    task_id: str
    name: str | None = None
    num_nodes: int = Field(default=1, ge=1)
    run: str | tuple[str | None, ...] | None = None
    setup: str | None = None
    envs: dict[str, str] = Field(default_factory=dict)
    secrets: dict[str, str] = Field(default_factory=dict, repr=False)
    accelerators: dict[str, float] = Field(default_factory=dict)
    workdir: str = "~/skyx_workdir"
    runner: tuple[str, ...] | None = None  # an executor's own program; None = the agent starts the gang


class JobReceipt(Model):
    """The cluster's own number for the job, from 1."""

    job_id: int = Field(ge=1)


class Payload(Model):
    """Files for the head, by name relative to the runtime directory, and a digest of them all."""

    files: dict[str, bytes] = Field(default_factory=dict)
    digest: str = ""


class RuntimeRequirements(Model):
    """What nodes need before jobs run. ``packages``: pip requirements, pinned."""

    min_python: tuple[int, int] = (3, 8)
    packages: tuple[str, ...] = ()
