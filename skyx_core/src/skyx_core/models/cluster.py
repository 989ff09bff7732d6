"""Clusters, their places and what a cloud says of them."""

from enum import StrEnum
from typing import Literal

from pydantic import Field  # noqa: TID253 - models are pydantic

from skyx_core.models.base import Model
from skyx_core.models.offers import Link


class ClusterHandle(Model):
    """A cluster's identity. Stored and tagged before any call to a cloud, never changed after.

    ``uid``: random, 16 hex digits. ``owner``: random id of the state store that made it. ``cloud_name``: the
    name for the cloud, at most 40 characters of ``[a-z0-9-]``, with a digest of the user's exact name. Which cloud and
    account it is in is the place's affair: an attempt on another cloud keeps the identity.
    """

    uid: str
    name: str
    owner: str
    cloud_name: str
    profile: str = ""


class Place(Model):
    """Where an attempt makes nodes. ``zones`` empty: the cloud has no zones, or any zone will do."""

    cloud: str
    region: str
    zones: tuple[str, ...] = ()
    account: str = ""


class ZoneOption(Model):
    """One place to try within a region. ``zone`` None: the cloud has no zones. ``skip``: why it is left out."""

    zone: str | None = None
    skip: str = ""


class NodeState(StrEnum):
    """What a cloud says of one node."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    TERMINATING = "terminating"
    GONE = "gone"  # the cloud said so; absence from a list is not this
    FAILED = "failed"  # exists and will not run


class Node(Model):
    """One machine. ``rank`` is given by core, starts at 0 (the head) and never changes while the node lives."""

    rank: int = Field(ge=0)
    id: str  # the cloud's own id
    address: str = ""  # by which the other nodes reach it
    external_address: str = ""
    zone: str | None = None
    state: NodeState = NodeState.RUNNING
    reason: str = ""  # why it is in this state, in the cloud's words
    intent: str = ""  # id of the intent that made it
    data: dict[str, str] = Field(default_factory=dict)  # the driver's own, small


class Cluster(Model):
    """What ``provision`` made: all nodes that were asked for, in rank order."""

    handle: ClusterHandle
    place: Place
    nodes: tuple[Node, ...]
    link: Link
    data: dict[str, str] = Field(default_factory=dict)


class Observation(Model):
    """What the cloud shows now. ``complete`` False = nothing may be concluded from what is missing."""

    complete: bool
    nodes: tuple[Node, ...] = ()
    reason: str = ""


class TeardownResult(Model):
    """``done``: the cloud reports every node and helper object gone (or stopped). ``remaining``: ids still there."""

    done: bool
    remaining: tuple[str, ...] = ()
    reason: str = ""


class Inventory(Model):
    """All nodes that some skyx made at one place, whoever's; one per place, an error spoils only this one."""

    place: Place
    complete: bool
    nodes: tuple[tuple[ClusterHandle, Node], ...] = ()
    error: str = ""


class Autostop(Model):
    """End the cluster after ``idle_minutes`` (0 = as soon as idle) without the activity that ``wait_for`` names."""

    idle_minutes: int = Field(ge=0)
    down: bool = False
    wait_for: Literal["jobs_and_ssh", "jobs", "none"] = "jobs_and_ssh"


class SelfEnd(Model):
    """How a cluster ends itself: the agent runs ``argv`` on the head. Prepared by the driver, holds no credential.

    ``leaves_behind``: what it can't remove; the next contact does.
    """

    argv: tuple[str, ...]
    needs_rearm: bool = False  # must be prepared again after a restart
    leaves_behind: tuple[str, ...] = ()


class CheckLine(Model):
    """One line of ``skyx check``."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""
