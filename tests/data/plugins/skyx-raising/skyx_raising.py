"""Fails at import."""

raise ValueError("no luck\ntoday")
