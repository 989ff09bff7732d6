"""Prints at import, in every way there is."""

import os
import subprocess
import sys

from skyx_good import GoodCloud

print("printed at import")
sys.stdout.flush()
os.write(1, b"written at import\n")
subprocess.run(["echo", "echoed at import"], check=True)


class PrintingCloud(GoodCloud):
    """Good but talkative."""

    name = "printing"
