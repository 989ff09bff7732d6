"""``resources``: what each node must have and where it may be."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator  # noqa: TID253 - models are pydantic

from skyx_core.task import values
from skyx_core.task.infra import Location
from skyx_core.task.mistakes import BadValue, kind_of
from skyx_core.task.section import (
    Also,
    Arguments,
    Cloud,
    Count,
    Cpus,
    DiskSize,
    DiskTier,
    Flag,
    Free,
    Gpus,
    Image,
    Infra,
    Labels,
    Memory,
    NetworkTier,
    Number,
    Ports,
    Priority,
    Section,
    Text,
    Zone,
    as_tuple,
    listed,
    lowered,
)

DEFAULT_IDLE_MINUTES = 5
Strategy = Literal["failover", "eager_next_region", "eager_failover", "none"]


class JobRecovery(Section):
    """What a managed job does when its nodes are lost. Kept; nothing acts on it yet."""

    strategy: Annotated[Strategy | None, BeforeValidator(lowered)] = None
    max_restarts_on_errors: Count = 0
    recover_on_exit_codes: Annotated[
        tuple[Count, ...],
        BeforeValidator(as_tuple),
        WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "array"}]}),
    ] = ()


class AutostopRule(Section):
    """End the cluster when it has been idle. ``hook`` is kept; nothing runs it yet."""

    idle_minutes: Annotated[
        int, BeforeValidator(values.idle_minutes), WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string"}]})
    ] = DEFAULT_IDLE_MINUTES
    down: Flag = False
    wait_for: Annotated[Literal["jobs_and_ssh", "jobs", "none"], BeforeValidator(lowered)] = "jobs_and_ssh"
    hook: Text | None = None
    hook_timeout: Count | None = None


def _recovery(value: object) -> object:
    return {"strategy": value} if isinstance(value, str) else value


def _autostop(value: object) -> object:
    if value is None or isinstance(value, dict | AutostopRule):
        return value
    if isinstance(value, bool):
        return {} if value else None
    if isinstance(value, int | str):
        return {"idle_minutes": values.idle_minutes(value)}
    raise BadValue(f"expected minutes, true, false or a mapping, got {kind_of(value)}")


class ResourceEntry(Section):
    """One alternative. Units: GB, US dollars per hour for all nodes together; unset = anything."""

    infra: Infra = None
    cloud: Cloud = None
    region: Zone = None
    zone: Zone = None
    instance_type: Text | None = None
    cpus: Cpus = None
    memory: Memory = None
    accelerators: Gpus = None
    accelerator_args: Arguments = None
    use_spot: Flag | None = None
    disk_size: DiskSize = None
    disk_tier: DiskTier = None
    network_tier: NetworkTier = None
    local_disk: Text | None = None
    image_id: Image = None
    ports: Ports = None
    labels: Labels = None
    max_hourly_cost: Annotated[Number | None, Field(gt=0)] = None
    job_recovery: Annotated[
        JobRecovery | None,
        BeforeValidator(_recovery),
        Also("string"),
    ] = None
    autostop: Annotated[AutostopRule | None, BeforeValidator(_autostop), Also("integer", "boolean", "string")] = None
    priority: Priority = None
    volumes: tuple[Free, ...] | None = None

    @field_validator("cloud", "region", "zone", mode="after")
    @classmethod
    def _agrees_with_infra(cls, value: str | None, info: ValidationInfo) -> str | None:
        infra: Location | None = info.data.get("infra")
        named = getattr(infra, info.field_name or "", None)
        if infra is not None and value is not None and named not in (None, value):
            raise BadValue(
                f"{info.field_name} {value!r} conflicts with infra {infra.plain()!r}; give the place once",
                suggestion=named,
            )
        return value

    def location(self) -> Location:
        """``infra`` and ``cloud``, ``region``, ``zone`` as one."""
        base = self.infra or Location()
        return Location(cloud=self.cloud or base.cloud, region=self.region or base.region, zone=self.zone or base.zone)


class Resources(ResourceEntry):
    """``any_of`` and ``ordered`` entries inherit the fields beside them; what an entry names, even as empty, wins."""

    any_of: Annotated[tuple[ResourceEntry, ...], BeforeValidator(listed)] = ()
    ordered: Annotated[tuple[ResourceEntry, ...], BeforeValidator(listed)] = ()

    @field_validator("ordered", mode="after")
    @classmethod
    def _not_both(cls, value: tuple[ResourceEntry, ...], info: ValidationInfo) -> tuple[ResourceEntry, ...]:
        if value and info.data.get("any_of"):
            raise BadValue("any_of and ordered can't be given together; keep one of them")
        return value
