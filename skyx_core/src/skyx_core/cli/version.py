"""The release, readable without asking for package metadata (which costs as much as the rest of ``--version``)."""

VERSION = "0.1.0"
