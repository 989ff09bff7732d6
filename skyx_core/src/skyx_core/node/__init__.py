"""Reaching nodes: runners, file sync, the agent's payload."""
