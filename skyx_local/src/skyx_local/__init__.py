"""The cloud and the executor named ``local``: nodes are sandboxes on this machine."""
