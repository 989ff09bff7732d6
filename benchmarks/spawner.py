"""Run by itself, as ``python -S -E spawner.py``: starts the programs that are measured and reports on each.

The peak memory that the kernel reports for a child is never below the size of the process that started it, so a
small one of its own starts them. One JSON request per line, one JSON answer per line. Imports little on purpose.
"""

import json
import os
import sys
import time


def main() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for line in sys.stdin:
        request = json.loads(line)
        out = os.open(request["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        actions = [(os.POSIX_SPAWN_DUP2, fd, to) for to, fd in enumerate((null, out, out))]
        os.chdir(request["cwd"])
        began = time.perf_counter()
        pid = os.posix_spawn(request["argv"][0], request["argv"], request["env"], file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - began
        os.close(out)
        answer = [seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status)]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
