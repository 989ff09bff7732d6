"""A small map and reduce over Python sources, by ranks that talk to each other over TCP.

Every rank tokenizes its share of the files, sends to each other rank the counts of the names which that rank owns,
adds up what it receives, and sends its most frequent names to rank 0, which prints the answer.
"""

import json
import os
import socket
import time
import tokenize
import zlib
from collections import Counter
from keyword import iskeyword

RANK = int(os.environ["SKYX_NODE_RANK"])
ADDRESSES = os.environ["SKYX_NODE_IPS"].split()
OTHERS = [rank for rank in range(len(ADDRESSES)) if rank != RANK]
PORT = int(os.environ.get("PORT", "29500"))
TOP = int(os.environ.get("TOP", "10"))
INPUT = os.environ.get("INPUT") or os.path.dirname(os.__file__)
LIMIT_S = 120
SKIPPED = ("site-packages", "__pycache__", "test", "tests", "idle_test")


def sources(folder):
    """Paths of all Python files, sorted, without installed packages and tests."""
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        found += [os.path.join(path, name) for name in files if name.endswith(".py")]
    return sorted(found)


def names_in(path):
    """Every name in a file that isn't a keyword; what can't be tokenized counts as far as it goes."""
    try:
        with open(path, "rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.NAME and not iskeyword(token.string):
                    yield token.string
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return


def owner(name):
    """The rank that adds up the counts of this name."""
    return zlib.crc32(name.encode()) % len(ADDRESSES)


def send(rank, message):
    """One message to another rank, which may not be listening yet."""
    end = time.monotonic() + LIMIT_S
    while True:
        try:
            with socket.create_connection((ADDRESSES[rank], PORT), timeout=LIMIT_S) as connection:
                connection.sendall(json.dumps(message).encode())
                return
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def receive(listener):
    """One message from anyone."""
    connection, _ = listener.accept()
    with connection, connection.makefile("rb") as stream:
        return json.load(stream)


def exchange(listener, counts):
    """Send every other rank the counts that it owns, and add what they send to those that are ours."""
    mine = Counter({name: count for name, count in counts.items() if owner(name) == RANK})
    for rank in OTHERS:
        send(rank, {"counts": {name: count for name, count in counts.items() if owner(name) == rank}})
    tops = []  # a fast rank's top may reach rank 0 before a slow rank's counts
    missing = len(OTHERS)
    while missing:
        message = receive(listener)
        if "counts" in message:
            mine.update(message["counts"])
            missing -= 1
        else:
            tops.append(message["top"])
    return mine, tops


def gather(listener, mine, tops):
    """On rank 0: the most frequent names of all ranks. Elsewhere: send ours there."""
    top = sorted(mine.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    if RANK != 0:
        send(0, {"top": top})
        return None
    while len(tops) < len(OTHERS):
        tops.append(receive(listener)["top"])
    everything = [tuple(item) for part in (top, *tops) for item in part]
    return sorted(everything, key=lambda item: (-item[1], item[0]))[:TOP]


def main():
    listener = socket.create_server((ADDRESSES[RANK], PORT))
    listener.settimeout(LIMIT_S)
    files = sources(INPUT)[RANK :: len(ADDRESSES)]
    counts = Counter(name for path in files for name in names_in(path))
    print(f"rank={RANK} at {ADDRESSES[RANK]}:{PORT} counted {sum(counts.values())} names in {len(files)} files")
    mine, tops = exchange(listener, counts)
    print(f"rank={RANK} owns {len(mine)} different names")
    answer = gather(listener, mine, tops)
    if answer is not None:
        print(f"rank=0 has the answer, the {len(answer)} most frequent names:")
        for name, count in answer:
            print(f"  {count:8d} {name}")


if __name__ == "__main__":
    main()
