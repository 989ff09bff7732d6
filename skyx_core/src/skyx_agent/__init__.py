"""What runs on a cluster's head: the job queue, gangs of plain processes, logs and autostop.

Standard library only, Python 3.8 or newer, Linux. Nothing here imports another package of the project, so the
whole can be shipped as one zip file.
"""

VERSION = "0.1.0"
