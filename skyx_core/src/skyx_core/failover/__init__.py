"""Blocks, error rules and the engine. Pure: no I/O, no clock of its own."""
