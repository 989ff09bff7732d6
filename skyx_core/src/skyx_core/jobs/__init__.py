"""The client side of the agent: submit, queue, logs, cancel, autostop."""
