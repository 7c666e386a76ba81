"""Holds resources of Holdfast while a block of Python runs. It needs the command `holdfast`, and no package.

Explained in docs/guides/share-test-devices.md.
"""

import subprocess
from contextlib import contextmanager

# Prints the slots, then ends as soon as its stdin does: also if Python is killed.
WAIT_FOR_END = 'printf "%s\\n" "$HOLDFAST_SLOTS" ""; exec cat'


@contextmanager
def hold(*resources, wait="10m", note="pytest"):
    """Holds all of the resources, or raises an error. Yields the names of the slots."""
    command = ["holdfast", "run", "--quiet", "--wait", wait, "--note", note, *resources, "--", "sh", "-c", WAIT_FOR_END]
    # In a session of its own, Ctrl-C does not end it before the tests have cleaned up.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        slots = []
        for line in process.stdout:
            if line == "\n":
                break
            slots.append(line.rstrip("\n"))
        else:
            raise TimeoutError(f"{', '.join(resources)}: holdfast ended with {process.wait()}")
        yield slots
    finally:
        process.stdin.close()
        code = process.wait()
    if code != 0:
        raise RuntimeError(f"{', '.join(resources)} was lost meanwhile: holdfast ended with {code}")
