#!/usr/bin/env python3
"""Measures latency under a steady load, while files are edited.

    python3 benches/load.py [--rate 300] [--seconds 30] [--edits 1] URL REPO QUERIES [DIRECTORY]

QUERIES has one JSON object with a `query` per line, as the cases of `foveate eval` do. Requests are sent at
random times, RATE a second on average, whether or not earlier ones are answered. A latency is counted from
the time at which the request was due, so that it includes waiting for a connection. Meanwhile, EDITS times a
second, a file of DIRECTORY, the watched working tree of REPO, gets a new function at its end: use a
disposable clone. This program itself needs CPU, more than a tenth of a core at 300 requests a second.
"""

import argparse
import asyncio
import json
import pathlib
import random
import subprocess
import time
import urllib.parse

CONNECTIONS = 64


def request(host, repo, query):
    body = json.dumps({"repo": repo, "query": query}).encode()
    head = f"POST /context HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body


class Load:
    def __init__(self, host):
        self.host = host
        self.idle = asyncio.Queue()
        self.times = []
        self.statuses = {}

    async def connect(self):
        name, port = self.host.rsplit(":", 1)
        for _ in range(CONNECTIONS):
            self.idle.put_nowait(await asyncio.open_connection(name, int(port), limit=1 << 20))

    async def send(self, data, due):
        reader, writer = await self.idle.get()
        writer.write(data)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0])
        await reader.readexactly(length)
        self.idle.put_nowait((reader, writer))
        self.times.append(time.perf_counter() - due)
        status = head.split()[1].decode()
        self.statuses[status] = self.statuses.get(status, 0) + 1

    async def run(self, requests, rate, seconds):
        start = due = time.perf_counter()
        sent = []
        while due < start + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            sent.append(asyncio.create_task(self.send(random.choice(requests), due)))
            due += random.expovariate(rate)
        await asyncio.gather(*sent)
        return len(sent) / seconds


async def edit(paths, rate):
    """Appends functions to files until it is cancelled."""
    count = 0
    while True:
        await asyncio.sleep(1 / rate)
        count += 1
        with open(random.choice(paths), "a", encoding="utf-8") as file:
            file.write(f"\n\ndef added_under_load_{count}(value):\n    return value\n")


async def main(arguments):
    random.seed(arguments.seed)
    host = urllib.parse.urlsplit(arguments.url).netloc
    with open(arguments.queries, encoding="utf-8") as file:
        requests = [request(host, arguments.repo, json.loads(line)["query"]) for line in file]
    load = Load(host)
    await load.connect()
    await load.run(requests, arguments.rate / 3, 5)
    load.times.clear()
    load.statuses.clear()
    editing = None
    if arguments.directory and arguments.edits:
        listed = subprocess.run(
            ["git", "-C", arguments.directory, "ls-files", "-z", "*.py"],
            capture_output=True, check=True, text=True,
        ).stdout.split("\0")
        paths = [arguments.directory / path for path in listed if path]
        editing = asyncio.create_task(edit(paths, arguments.edits))
    rate = await load.run(requests, arguments.rate, arguments.seconds)
    if editing:
        editing.cancel()
    ordered = sorted(load.times)
    at = lambda share: 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    print(
        f"{rate:.0f} requests a second, {arguments.edits if editing else 0} edits a second: "
        f"p50 {at(0.5):.1f} ms, p95 {at(0.95):.1f}, p99 {at(0.99):.1f}, max {at(1):.1f}; "
        f"by status {load.statuses}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("repo")
    parser.add_argument("queries", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path, nargs="?")
    parser.add_argument("--rate", type=float, default=300)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--edits", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(main(parser.parse_args()))
