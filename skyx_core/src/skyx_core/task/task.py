"""The task: what one YAML document describes."""

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import (  # noqa: TID253 - models are pydantic
    BeforeValidator,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Strict,
    Tag,
    WithJsonSchema,
    model_validator,
)

from skyx_core.task.resources import Resources
from skyx_core.task.section import Free, Number, Section, Text, Variables, listed
from skyx_core.task.sections import GitWorkdir, Pool, Service, Storage, check_config, shape
from skyx_core.task.substitute import fill_task

if TYPE_CHECKING:
    from skyx_core.models.cluster import Autostop
    from skyx_core.models.offers import Request

_SHAPE = Discriminator(shape, custom_error_type="shape", custom_error_message="expected text or a mapping")
Workdir = Annotated[Annotated[str, Tag("text")] | Annotated[GitWorkdir, Tag("mapping")], _SHAPE]
Mount = Annotated[Annotated[str, Tag("text")] | Annotated[Storage, Tag("mapping")], _SHAPE]
Volume = Annotated[Annotated[str, Tag("text")] | Annotated[Free, Tag("mapping")], _SHAPE]


class Task(Section):
    """Built from a mapping in the shape of a task file, or from models; ``$NAME`` of ``envs`` is put in first.

    ``secrets`` never show in ``repr`` or ``redacted_yaml``.
    """

    name: Text | None = None
    workdir: Workdir | None = None
    num_nodes: Annotated[int, Strict(), Field(ge=1, le=100_000)] = 1
    resources: Resources = Field(default_factory=Resources)
    envs: Variables = Field(default_factory=dict)
    secrets: Variables = Field(default_factory=dict, repr=False)
    file_mounts: dict[Text, Mount] = Field(default_factory=dict)
    volumes: dict[Text, Volume] = Field(default_factory=dict)
    setup: Text | None = None
    run: Text | None = None
    service: Service | None = None
    pool: Pool | None = None
    config: Annotated[Free, BeforeValidator(check_config)] = Field(default_factory=dict)
    inputs: dict[Text, Number | None] = Field(default_factory=dict)
    outputs: dict[Text, Number | None] = Field(default_factory=dict)
    event_callback: Text | None = None
    experimental: Free = Field(default_factory=dict)
    execution: Literal["serial", "parallel"] | None = None
    primary_tasks: Annotated[
        tuple[Text, ...], BeforeValidator(listed), WithJsonSchema({"type": "array", "items": {"type": "string"}})
    ] = ()
    termination_delay: object = None
    api_server_access: Annotated[bool, Strict()] | None = None

    # Fields as they were before substitution: ``to_yaml`` writes these, or a value that holds '$' would be read twice.
    _before: dict[str, object] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _substitute(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(data, dict):
            return handler(data)
        filled, before = fill_task(data)
        task = handler(filled)
        task._before.update(before)
        return task

    @property
    def ordered(self) -> bool:
        """Whether the order of ``requests()`` is the user's wish; else the planner chooses."""
        alone = not self.resources.any_of and self.resources.accelerators is not None
        chosen = self.resources.accelerators
        return bool(self.resources.ordered) or (alone and chosen is not None and chosen.ordered)

    @property
    def order(self) -> "bool | tuple[int, ...]":
        """As ``ordered``; where entries of ``ordered`` leave a choice, numbers in step with ``requests()``: the smaller
        ones come first, and of equal ones the planner chooses.
        """
        from skyx_core.task.expand import order

        return order(self)

    @property
    def autostop(self) -> "Autostop | None":
        """What ``resources.autostop`` asks for."""
        from skyx_core.models.cluster import Autostop

        rule = self.resources.autostop
        if rule is None:
            return None
        return Autostop(idle_minutes=rule.idle_minutes, down=rule.down, wait_for=rule.wait_for)

    def requests(self) -> "tuple[Request, ...]":
        """The alternatives, at least one, in the order of the file."""
        from skyx_core.task.expand import requests

        return requests(self)

    @property
    def reserves_nothing(self) -> bool:
        """Whether no alternative asks for accelerators; known without making the requests."""
        entries = (self.resources, *self.resources.any_of, *self.resources.ordered)
        return all(entry.accelerators is None for entry in entries)

    def missing_envs(self) -> tuple[str, ...]:
        """Names in ``envs`` and ``secrets`` that must be given and are not."""
        return tuple(name for name, value in [*self.envs.items(), *self.secrets.items()] if value is None)

    def to_yaml(self) -> str:
        """A task file that means the same. Holds the values of secrets."""
        from skyx_core.task.dump import to_yaml

        return to_yaml(self, self._before)

    def redacted_yaml(self) -> str:
        """As ``to_yaml``, without the values of secrets and of variables that are named like one."""
        from skyx_core.task.dump import redacted, to_yaml

        return to_yaml(redacted(self), self._before)
