#!/usr/bin/env python3
"""Measures how long a save takes to be searchable: from the close of a file to the end of the first HTTP
answer that contains the saved code, debounce included.

    python3 benches/save.py [--saves 60] [--kind append|body|mixed|add] [--seed 1] URL REPO DIRECTORY

DIRECTORY is the watched working tree, registered as REPO at the server at URL. It is changed: use a
disposable clone. One save at a time, each in a random file: `append` adds a function at the end, `body` a
call inside an existing function, `mixed` one or the other, `add` a new file. Each query is a single random
name, so that the answer itself is cheap; a query without a save is measured for comparison.
"""

import argparse
import http.client
import json
import pathlib
import random
import subprocess
import time
import urllib.parse


class Server:
    def __init__(self, url, repo):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)
        self.repo = repo

    def holds(self, name):
        """Whether an answer about a name shows code with that name."""
        body = json.dumps({"repo": self.repo, "query": f"`{name}`", "limit": 1, "budget_tokens": 1000})
        self.connection.request("POST", "/context", body, {"content-type": "application/json"})
        answer = json.loads(self.connection.getresponse().read())
        return name in answer["context"]


def save(path, name, kind):
    """Changes a file and returns the time when it was closed."""
    if kind == "add":
        path = path.with_name(f"added_{name}.py")
        text = ""
    else:
        text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    bodies = [n for n, line in enumerate(lines) if line.startswith("        return")]
    if kind == "body" and bodies:
        lines.insert(random.choice(bodies), f"        self.{name}()  # {name}\n")
        text = "".join(lines)
    else:
        text += f"\n\ndef {name}(value):\n    return value\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return time.perf_counter()


def percentiles(seconds):
    ordered = sorted(seconds)
    at = lambda share: 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return f"p50 {at(0.5):.1f} ms, p95 {at(0.95):.1f} ms, max {at(1):.1f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("repo")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--saves", type=int, default=60)
    parser.add_argument("--kind", choices=["append", "body", "mixed", "add"], default="mixed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between two saves")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    server = Server(arguments.url, arguments.repo)
    listed = subprocess.run(
        ["git", "-C", arguments.directory, "ls-files", "-z", "*.py"],
        capture_output=True, check=True, text=True,
    ).stdout.split("\0")
    paths = [arguments.directory / path for path in listed if path]
    asked, seen = [], []
    for number in range(arguments.saves):
        name = "zq" + "".join(random.choices("bcdfghjklmnpqrstvwxyz", k=10))
        kind = random.choice(["append", "body"]) if arguments.kind == "mixed" else arguments.kind
        start = time.perf_counter()
        server.holds(name)
        asked.append(time.perf_counter() - start)
        closed = save(random.choice(paths), name, kind)
        while not server.holds(name):
            if time.perf_counter() - closed > 30:
                raise SystemExit(f"save {number}: {name} is not found after 30 s")
        seen.append(time.perf_counter() - closed)
        time.sleep(arguments.pause)
    print(f"{arguments.saves} saves ({arguments.kind}): {percentiles(seen)}")
    print(f"asking alone: {percentiles(asked)}")


if __name__ == "__main__":
    main()
