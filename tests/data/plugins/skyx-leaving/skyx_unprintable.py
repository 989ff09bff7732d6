"""Fails with an error that can't be shown."""


class Unprintable(Exception):
    """Its message raises."""

    def __str__(self) -> str:
        raise RuntimeError("no message")


raise Unprintable
