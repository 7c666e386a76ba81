"""The program of the Python client: programs.ts."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "packages/python/src"))

from holdfast import Holdfast  # noqa: E402

client = Holdfast.from_env()


def cycles(callers: int, seconds: float) -> float:
    stop = threading.Event()
    counts = [0] * callers

    def caller(i: int) -> None:
        while not stop.is_set():
            with client.using(f"{os.getpid()}-{i}"):
                counts[i] += 1

    threads = [threading.Thread(target=caller, args=(i,)) for i in range(callers)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    done = sum(counts)
    stop.set()
    for thread in threads:
        thread.join()
    return done / seconds


def renew(holds: int) -> None:
    with ExitStack() as held:
        for i in range(holds):
            held.enter_context(client.using(f"{os.getpid()}-{i}", ttl="30s"))
        print("held", flush=True)
        sys.stdin.read()
        os._exit(0)


if sys.argv[1] == "cycles":
    cycles(int(sys.argv[2]), 1)
    print(cycles(int(sys.argv[2]), float(sys.argv[3])), flush=True)
else:
    renew(int(sys.argv[2]))
