"""Exit codes between the agent and its supervisor."""

EXIT_DONE = 0  # ended on purpose: the supervisor ends too
EXIT_UPGRADE = 75  # the supervisor becomes the program named in next.argv
EXIT_REFUSED = 78  # can't start at all, and trying again would not help
