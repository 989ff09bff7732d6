"""A listener that can not be imported."""

raise OSError("disk on fire")
