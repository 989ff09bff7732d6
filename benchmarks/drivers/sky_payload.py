"""Run by a peer's interpreter: the size in bytes of the program that it sends to the head for one job, as JSON."""

import json
import sys

from sky.backends import task_codegen  # type: ignore[import-not-found]


def main() -> None:
    nodes, script, envs = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    made = task_codegen.RayCodeGen()
    made.add_prologue(1)
    addresses = [f"10.0.{number // 250}.{number % 250}" for number in range(nodes)]
    made.add_setup(nodes, {"CPU": 0.5}, addresses, envs, "~/logs", None)
    made.add_task(nodes, script, "bench", {"CPU": 0.5}, "~/logs", envs)
    made.add_epilogue()
    print(json.dumps(len(made.build().encode())))


if __name__ == "__main__":
    main()
