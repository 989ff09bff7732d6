"""States of clusters and jobs, and what JSON can hold."""

from __future__ import annotations

from enum import StrEnum

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class ClusterStatus(StrEnum):
    """States of a cluster that has a record; one that has none is terminated."""

    INIT = "INIT"
    UP = "UP"
    STARTING = "STARTING"
    STOPPING = "STOPPING"
    STOPPED = "STOPPED"
    AUTOSTOPPING = "AUTOSTOPPING"
    TERMINATING = "TERMINATING"


class JobStatus(StrEnum):
    """States of a job; the last five are final."""

    INIT = "INIT"
    PENDING = "PENDING"
    SETTING_UP = "SETTING_UP"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    FAILED_SETUP = "FAILED_SETUP"
    FAILED_DRIVER = "FAILED_DRIVER"
    CANCELLED = "CANCELLED"

    @property
    def final(self) -> bool:
        return self in _FINAL

    @property
    def exit_code(self) -> int:
        """Of ``launch``, ``exec`` and ``logs``: 0 succeeded, 100 failed, 101 not finished, 103 cancelled."""
        if self is JobStatus.SUCCEEDED:
            return 0
        if self is JobStatus.CANCELLED:
            return 103
        return 100 if self.final else 101


_FINAL = frozenset(
    {
        JobStatus.SUCCEEDED,
        JobStatus.FAILED,
        JobStatus.FAILED_SETUP,
        JobStatus.FAILED_DRIVER,
        JobStatus.CANCELLED,
    }
)
