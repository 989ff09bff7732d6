"""What is wanted and what is on offer."""

from enum import StrEnum

from pydantic import Field  # noqa: TID253 - models are pydantic

from skyx_core.models.base import Model


class Capability(StrEnum):
    """Abilities without methods that a driver declares. Those with methods are ABCs in ``drivers``."""

    SPOT = "spot"
    MULTI_NODE = "multi_node"
    ZONES = "zones"
    ZONES_TOGETHER = "zones_together"  # one attempt may name several zones of a region
    ATOMIC_BATCH = "atomic_batch"  # one creating call makes all nodes or none
    CUSTOM_IMAGE = "custom_image"
    DOCKER_IMAGE = "docker_image"
    DISK_TIER = "disk_tier"
    PORTS_AT_LAUNCH = "ports_at_launch"
    NETWORK_TIER = "network_tier"
    LABELS = "labels"
    FREE_DESCRIBE = "free_describe"  # describe() needs neither network nor credentials
    FALLBACK = "fallback"  # a candidate only when it is named, or when no other cloud is enabled


class Idempotency(StrEnum):
    """What makes repeating a creating call safe."""

    TOKEN_AND_TAG = "token_and_tag"  # noqa: S105 - not a password
    TOKEN = "token"  # noqa: S105 - not a password
    NAME = "name"  # a tag or unique name in the creating call
    TAG_LATER = "tag_later"
    NONE = "none"


class Link(StrEnum):
    """How the head of a cluster reaches its ranks."""

    SANDBOX = "sandbox"
    SSH = "ssh"
    POD_EXEC = "pod_exec"


class Amount(Model):
    """``4`` (exactly, ``plus`` False) or ``4+`` (at least)."""

    value: float = Field(gt=0, allow_inf_nan=False)
    plus: bool = False

    def admits(self, value: float) -> bool:
        """Whether an offer with ``value`` satisfies this amount."""
        return value >= self.value if self.plus else value == self.value

    def __str__(self) -> str:
        return f"{self.value:g}{'+' if self.plus else ''}"


class Request(Model):
    """One alternative of a task's ``resources``, normalised; an unset field means anything."""

    num_nodes: int = Field(default=1, ge=1)
    cloud: str | None = None
    region: str | None = None
    zone: str | None = None
    instance_type: str | None = None
    cpus: Amount | None = None
    memory_gb: Amount | None = None
    accelerators: dict[str, float] = Field(default_factory=dict)  # per node, canonical names
    any_accelerators: bool = False  # of a listing: machines with accelerators too, though none are asked for
    accelerator_args: dict[str, str | bool] = Field(default_factory=dict)
    use_spot: bool = False
    disk_size_gb: int | None = None
    disk_tier: str | None = None
    network_tier: str | None = None
    local_disk: str | None = None
    image_id: str | None = None  # one image, or use images_by_region
    images_by_region: dict[str, str] = Field(default_factory=dict)
    ports: tuple[str, ...] = ()  # "8080" or "8000-8010", sorted, no overlaps
    labels: dict[str, str] = Field(default_factory=dict)
    max_hourly_cost: float | None = None  # of all nodes together
    autostop: bool = False  # autostop or autodown is asked for at launch
    autostop_down: bool = False

    def reserves(self) -> bool:
        """Whether cpus, memory or accelerators are asked for by number."""
        return bool(self.cpus or self.memory_gb or self.accelerators)


class Offer(Model):
    """One line of a catalogue: a type of machine at a place for a price per node."""

    cloud: str
    region: str
    zone: str | None = None  # None: not told apart by zone
    instance_type: str
    cpus: float
    memory_gb: float
    accelerators: dict[str, float] = Field(default_factory=dict)
    use_spot: bool = False
    hourly_usd: float = Field(ge=0, allow_inf_nan=False)  # of one node
    quota_buckets: tuple[str, ...] = ()  # quotas of the account that it draws on
    reservation: str | None = None  # paid already; what it costs is 0


class Candidate(Model):
    """An offer chosen for a request: what an attempt tries to make."""

    cloud: str
    region: str
    zone: str | None = None
    instance_type: str
    cpus: float
    memory_gb: float
    accelerators: dict[str, float] = Field(default_factory=dict)
    use_spot: bool = False
    hourly_usd: float = Field(ge=0)  # of all nodes
    quota_buckets: tuple[str, ...] = ()
    reservation: str | None = None
    zones: tuple[str, ...] = ()  # of a region, only these (others cost more than was allowed); () = any
    egress_usd: float = 0.0  # once, for what it gets from the task before it, where that is known

    def infra(self) -> str:
        """``cloud/region/zone`` as users write it."""
        return "/".join(part for part in (self.cloud, self.region, self.zone) if part)


class WhyNot(Model):
    """Why something was left out: ``subject`` (a cloud, region or candidate), ``reason``, and what would help.
    ``quiet``: of no interest to who didn't name it.
    """

    subject: str
    reason: str
    fix: str = ""
    quiet: bool = False
