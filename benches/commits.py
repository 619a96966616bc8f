#!/usr/bin/env python3
"""Measures the time to answer at neighbouring commits, each asked about for the first time.

    python3 benches/commits.py FOVEATE DATA_DIR REPO GIT [--commits 100] [--skip 0]

FOVEATE is the program, DATA_DIR a data directory in which the bare repository at GIT is registered as
REPO. Asks at each of the commits before its HEAD, one after the other, along first parents; with
`--skip 2000 --commits 1` at one that is years away. CPU is that of the process and of its child processes.
"""

import argparse
import http.client
import json
import os
import subprocess
import time
import urllib.parse

QUERY = "TypeError when the cache is cleared while a connection is open"


def ask(connection, repo, commit=None):
    body = {"repo": repo, "query": QUERY} | ({"ref": commit} if commit else {})
    connection.request("POST", "/context", json.dumps(body), {"content-type": "application/json"})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def cpu(process):
    """Milliseconds of CPU of a process and of its children that have ended."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) * 1000 / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("repo")
    parser.add_argument("git")
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--skip", type=int, default=0)
    arguments = parser.parse_args()
    listed = subprocess.run(
        ["git", "-C", arguments.git, "rev-list", "--first-parent", "--max-count",
         str(arguments.commits), "--skip", str(arguments.skip + 1), "HEAD"],
        capture_output=True, check=True, text=True,
    ).stdout.split()
    command = [arguments.program, "serve", "--listen", "127.0.0.1:0", "--data-dir", arguments.data]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = server.stdout.readline().split()[-1]
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=120)
        while True:
            status, answer = ask(connection, arguments.repo)
            codes = [issue["code"] for issue in answer.get("issues", [])]
            if status == 200 and not any(code.startswith("history") for code in codes):
                break
            time.sleep(0.05)
        times, before = [], cpu(server.pid)
        for commit in listed:
            start = time.perf_counter()
            status, answer = ask(connection, arguments.repo, commit)
            times.append((time.perf_counter() - start) * 1000)
            assert status == 200 and answer["commit"] == commit, answer
        used = (cpu(server.pid) - before) / len(listed)
        ordered = sorted(times)
        print(
            f"{len(listed)} commits: mean {sum(times) / len(times):.0f} ms, "
            f"median {ordered[len(ordered) // 2]:.0f}, p95 {ordered[int(0.95 * len(ordered))]:.0f}, "
            f"max {ordered[-1]:.0f}; CPU {used:.0f} ms each"
        )
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
