"""One of two that offer the same name."""

raise AssertionError("imported, though its name is in conflict")
