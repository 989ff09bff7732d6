"""The one error that travels to clients."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skyx_agent.values import Json


class AgentError(Exception):
    """A request that can't be done. ``code`` is stable; ``hint`` says what to do now."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def as_json(self) -> Json:
        return {"code": self.code, "message": self.message, "hint": self.hint}
