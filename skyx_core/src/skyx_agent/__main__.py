"""``python -m skyx_agent``, or ``python path/to/skyx_agent``: the latter needs the package's parent to be found."""

import os
import sys

if not __package__:
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    del sys.path[0]

from skyx_agent.main import main

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
