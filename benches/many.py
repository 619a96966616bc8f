#!/usr/bin/env python3
"""Measures how long evicted repositories take to return to memory, with many registered at one server.

    FOVEATE__INDEX__MEMORY_BYTES=300000000 foveate serve --listen 127.0.0.1:7878 --data-dir DIR &
    python3 benches/many.py register URL GIT [--count 500]      # each of its commits as a repository
    python3 benches/many.py ask URL [--count 100] [--large REPO]

`ask` picks evicted repositories at random and asks each one question, one at a time: from the request to the
answer. With --large it prints how far that repository is indexed meanwhile.
"""

import argparse
import json
import random
import subprocess
import time
import urllib.request

QUESTION = "`url_for` builds a wrong url with a blueprint prefix"


def call(url, body=None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def register(arguments):
    command = ["git", "-C", arguments.git, "rev-list", "--first-parent", f"-n{arguments.count}", "HEAD"]
    commits = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    start = time.perf_counter()
    for number, commit in enumerate(commits):
        source = {"git": arguments.git, "ref": commit}
        call(f"{arguments.url}/repos", {"name": f"many{number:03}", "source": source})
    while True:
        repos = call(f"{arguments.url}/repos")["repos"]
        if all(repo["state"] == "ready" for repo in repos):
            break
        time.sleep(1)
    resident = sum(repo["memory"]["resident"] for repo in repos)
    print(f"{len(repos)} ready after {time.perf_counter() - start:.0f} s, {resident} in memory")


def resting(url):
    repos = call(f"{url}/repos")["repos"]
    return [
        repo["name"]
        for repo in repos
        if repo["name"].startswith("many") and repo["state"] == "ready" and not repo["memory"]["resident"]
    ]


def ask(arguments):
    random.seed(arguments.seed)
    took, names = [], []
    for number in range(arguments.count):
        if number % 10 == 0:
            names = resting(arguments.url)
        if arguments.large and number % 20 == 0:
            large = call(f"{arguments.url}/repos/{arguments.large}")
            print(f"{arguments.large}: {large['state']}, {large['progress']}")
        name = names.pop(random.randrange(len(names)))
        start = time.perf_counter()
        call(f"{arguments.url}/context", {"repo": name, "query": QUESTION, "budget_tokens": 4000})
        took.append(1000 * (time.perf_counter() - start))
        time.sleep(0.02)
    took.sort()
    at = lambda share: took[min(len(took) - 1, int(share * len(took)))]
    print(f"{len(took)} returns: p50 {at(0.5):.0f} ms, p95 {at(0.95):.0f} ms, max {at(1):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in [("register", register), ("ask", ask)]:
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("url")
        if name == "register":
            command.add_argument("git")
        else:
            command.add_argument("--large")
            command.add_argument("--seed", type=int, default=1)
        command.add_argument("--count", type=int, default=500 if name == "register" else 100)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
