"""A command that can not be imported."""

raise RuntimeError("out of order")
