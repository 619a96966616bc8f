"""Measures a first run of `foveate context` on a repository, and the next ones.

    python3 benches/context.py FOVEATE REPO [OPTION ...]

FOVEATE is the program, REPO a directory; OPTION is passed on (`--ref main`, `--wait-history`). Each
round starts with an empty cache in its own directory. Prints medians of the wall time to the end of the
process, and whether the output of all runs was the same.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

QUERY = "TypeError when the cache is cleared while a connection is open"
ROUNDS, NEXT = 3, 5


def run(program, repo, options, cache):
    start = time.monotonic()
    done = subprocess.run(
        [program, "context", repo, QUERY, *options],
        env=dict(os.environ, FOVEATE_CACHE_DIR=cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return (time.monotonic() - start) * 1000, done.stdout


program, repo, *options = sys.argv[1:]
first, later, said = [], [], set()
for _ in range(ROUNDS):
    with tempfile.TemporaryDirectory() as cache:
        runs = [run(program, repo, options, cache) for _ in range(1 + NEXT)]
    first.append(runs[0][0])
    later.extend(wall for wall, _ in runs[1:])
    said.update(output for _, output in runs)
spread = f"{min(later):.0f} to {max(later):.0f}"
print(f"first {statistics.median(first):.0f} ms, next {statistics.median(later):.0f} ms ({spread})")
print("all said the same" if len(said) == 1 else f"{len(said)} different answers")
