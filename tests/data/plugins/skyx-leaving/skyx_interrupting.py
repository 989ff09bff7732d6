"""Pretends that the user pressed Ctrl-C."""

raise KeyboardInterrupt
