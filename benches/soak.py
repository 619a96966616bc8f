#!/usr/bin/env python3
"""Tests a server that runs for long: half a day of work in less than an hour.

    python3 benches/soak.py [--minutes 60] [--seed 1] [--max-growth 1.1] FOVEATE SOURCE...

Of each SOURCE, a directory with code, it makes a watched working tree, a bare repository that is pushed to,
and a remote that is fetched over http. Then files are edited, added, renamed and deleted, commits made,
pushed and rewritten, branches switched, questions asked, repositories removed and registered again, and the
server stopped, or killed, and started again. Periodically all work pauses, and the server's answers about
each repository are compared with those of a second server, which builds its index from scratch.

Memory, open files and disk are sampled meanwhile, and the median of the last third of the time is compared
with that of the middle third. A difference, a failure, or growth beyond --max-growth ends with exit code 1.
"""

import argparse
import contextlib
import functools
import http.server
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

CODE = {".py", ".ts", ".js", ".go", ".rs", ".java", ".rb", ".php", ".c", ".cpp", ".cs", ".kt"}
MAX_FILES = 400
# Seconds between two comparisons, and between two samples.
COMPARE_SECONDS, SAMPLE_SECONDS = 150, 5
TIMEOUT = 300
# A busy server may answer with these statuses; anything else is a failure.
PASSING = {409, 429, 503}
# Fields that differ between two answers to the same question.
FLEETING = ("request_id", "generation", "timings_ms")
# Weight of each action; they sum to 100.
WEIGHTS = {
    "edit": 34, "add": 6, "rename": 5, "delete": 4, "revert": 4, "commit": 8, "push": 6, "rewrite": 2,
    "switch": 3, "ask": 22, "look": 4, "replace": 1, "stop": 0.5, "kill": 0.5,
}


def git(place, *arguments):
    identity = ["-c", "user.name=Soak", "-c", "user.email=soak@example.com", "-c", "gc.auto=200"]
    command = ["git", "-C", str(place), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Server:
    """A process of the program, which can be restarted on the same data."""

    def __init__(self, foveate, data, allowed):
        self.foveate, self.data, self.allowed = foveate, data, allowed
        self.log = open(data.with_suffix(".log"), "ab")
        self.start()

    def start(self):
        settings = {
            "FOVEATE__REPOS__ALLOW_PATHS": f"[{self.allowed}]",
            "FOVEATE__GIT__SCHEMES": "[http]",
            "FOVEATE__LOG__FILTER": "warn",
        }
        command = [self.foveate, "serve", "--listen", "127.0.0.1:0", "--data-dir", str(self.data)]
        pipes = {"stdout": subprocess.PIPE, "stderr": self.log, "text": True}
        self.process = subprocess.Popen(command, env=os.environ | settings, **pipes)
        self.url = self.process.stdout.readline().split()[-1]

    def end(self, how):
        self.process.send_signal(how)
        status = self.process.wait(60)
        if how == signal.SIGTERM and status != 0:
            raise AssertionError(f"the server ended with {status}")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        request.add_header("content-type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def sample(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        memory = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
        files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        return memory, files, size(self.data)


def size(directory):
    """Megabytes of the files below a directory."""
    total = 0
    for place, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total / 2**20


class Repository:
    """A working tree that is changed, and the source that is registered for it."""

    def __init__(self, source, kind, place, web):
        self.kind, self.name = kind, f"{source.name}-{kind}"
        self.tree = place / self.name
        copy(source, self.tree)
        git(self.tree, "init", "-q", "-b", "main")
        git(self.tree, "add", "-A")
        git(self.tree, "commit", "-q", "-m", "as it was")
        self.first = git(self.tree, "rev-parse", "HEAD")
        self.bare = place / f"{self.name}.git"
        if kind == "tree":
            self.source = {"path": str(self.tree)}
            return
        subprocess.run(["git", "clone", "-q", "--bare", self.tree, self.bare], check=True)
        git(self.tree, "remote", "add", "origin", str(self.bare))
        git(self.bare, "update-server-info")
        address = f"{web}/{self.bare.name}" if kind == "remote" else str(self.bare)
        self.source = {"git": address}

    def files(self):
        listed = git(self.tree, "ls-files").splitlines()
        return [f for f in listed if Path(f).suffix in CODE and (self.tree / f).is_file()]

    def push(self):
        if self.kind != "tree":
            git(self.tree, "push", "-q", "--force", "origin", "HEAD:main")
            git(self.bare, "update-server-info")


def copy(source, target):
    """Copies the first files of a source, without links, large files and git's own."""
    kept = [p for p in sorted(source.rglob("*")) if p.is_file() and not p.is_symlink()]
    kept = [p for p in kept if ".git" not in p.parts and p.stat().st_size < 200_000][:MAX_FILES]
    for path in kept:
        to = target / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)


class Soak:
    def __init__(self, arguments, place):
        self.random = random.Random(arguments.seed)
        self.foveate, self.place = arguments.foveate, place
        repositories = place / "repositories"
        repositories.mkdir()
        web = serve(repositories)
        kinds = ("tree", "bare", "remote")
        self.repositories = [
            Repository(source, kind, repositories, web)
            for source in arguments.sources for kind in kinds
        ]
        self.server = Server(self.foveate, place / "data", repositories)
        self.counts = dict.fromkeys(WEIGHTS, 0)
        self.compared, self.failures, self.samples = 0, [], []
        for repository in self.repositories:
            self.register(self.server, repository)

    # --- actions ---

    def act(self):
        name = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        self.counts[name] += 1
        getattr(self, name)(self.random.choice(self.repositories))

    def edit(self, repository):
        path = repository.tree / self.random.choice(repository.files())
        lines = path.read_text(errors="replace").splitlines()
        at, number = self.random.randrange(len(lines) + 1), self.random.randrange(1000)
        change = self.random.randrange(3)
        if change == 0:
            lines[at:at] = [f"def soak_{number}(value):", f"    return value + {number}", ""]
        elif change == 1 and lines:
            del lines[at : at + self.random.randrange(1, 6)]
        else:
            lines = [re.sub(r"\breturn\b", f"return soak_{number} or", line, count=1) for line in lines]
        path.write_text("\n".join(lines) + "\n")

    def add(self, repository):
        beside = repository.tree / self.random.choice(repository.files())
        number = self.random.randrange(1000)
        text = f"from os import path\n\n\ndef soak_{number}(value):\n    return path.join(value)\n"
        (beside.parent / f"soak_{number}.py").write_text(text)

    def rename(self, repository):
        path = repository.tree / self.random.choice(repository.files())
        path.rename(path.with_name(f"soak_{self.random.randrange(1000)}{path.suffix}"))

    def delete(self, repository):
        files = repository.files()
        if len(files) > 20:
            (repository.tree / self.random.choice(files)).unlink()

    def revert(self, repository):
        """Restores all files to their first version, so that their number stays bounded."""
        git(repository.tree, "read-tree", "--reset", "-u", repository.first)
        git(repository.tree, "clean", "-fdq")

    def commit(self, repository):
        git(repository.tree, "add", "-A")
        number = self.random.randrange(1000)
        git(repository.tree, "commit", "-q", "--allow-empty", "-m", f"change soak_{number} (#{number})")

    def push(self, repository):
        self.commit(repository)
        repository.push()
        if repository.kind != "tree":
            self.ask_for(self.server, "POST", f"/repos/{repository.name}/sync", expected={200, 202, 404})

    def rewrite(self, repository):
        """Replaces the history with a shorter one."""
        git(repository.tree, "reset", "-q", "--soft", repository.first)
        self.push(repository)

    def switch(self, repository):
        self.commit(repository)
        git(repository.tree, "checkout", "-q", "-B", self.random.choice(["main", "other"]))

    def question(self, repository):
        names = [Path(f).stem for f in repository.files()]
        word, number = self.random.choice(names), self.random.randrange(1000)
        return self.random.choice([
            f"`{word}` fails with ValueError: soak_{number} is not known",
            f"where is {word} tested?",
            f"TypeError in soak_{number} of {word} since #{number}",
        ])

    def ask(self, repository):
        body = {"repo": repository.name, "query": self.question(repository), "budget_tokens": 4000}
        if repository.kind != "tree" and self.random.random() < 0.3:
            body["ref"] = self.random.choice(["main~1", repository.first, "HEAD"])
        self.ask_for(self.server, "POST", "/context", body, expected={200, 404})

    def look(self, repository):
        name = f"soak_{self.random.randrange(1000)}"
        path = self.random.choice([f"definitions?name={name}", f"search?q={name}", f"references?name={name}"])
        self.ask_for(self.server, "GET", f"/repos/{repository.name}/{path}", expected={200, 404})

    def register(self, server, repository):
        body = {"name": repository.name, "source": repository.source}
        self.ask_for(server, "POST", "/repos", body, expected={201})

    def replace(self, repository):
        self.ask_for(self.server, "DELETE", f"/repos/{repository.name}", expected={204})
        self.register(self.server, repository)

    def stop(self, _):
        self.server.end(signal.SIGTERM)
        self.server.start()

    def kill(self, _):
        self.server.end(signal.SIGKILL)
        self.server.start()

    def ask_for(self, server, method, path, body=None, expected=frozenset({200})):
        status, answer = server.call(method, path, body)
        if status not in expected | PASSING:
            self.failures.append(f"{method} {path}: {status} {str(answer)[:300]}")
        return status, answer

    # --- comparison ---

    def compare(self):
        """Compares the server's answers with those of an index built from scratch."""
        for repository in self.repositories:
            repository.push()
        fresh = Server(self.foveate, self.place / f"fresh-{self.compared}", self.server.allowed)
        for repository in self.repositories:
            self.register(fresh, repository)
            if repository.kind != "tree":
                self.ask_for(self.server, "POST", f"/repos/{repository.name}/sync", expected={200, 202})
        for repository in self.repositories:
            questions = [self.question(repository) for _ in range(4)]
            wanted = wait(lambda r=repository, q=questions: told(fresh, r, q))
            told_now = wait(lambda r=repository, q=questions: told(self.server, r, q), wanted)
            if told_now != wanted:
                self.failures.append(f"{repository.name}: {difference(told_now, wanted)}")
        fresh.end(signal.SIGKILL)
        shutil.rmtree(fresh.data)
        self.compared += 1

    def sample(self):
        self.samples.append(self.server.sample())

    def run(self, seconds):
        start = compared = sampled = time.monotonic()
        while (now := time.monotonic()) < start + seconds:
            self.act()
            if now > sampled + SAMPLE_SECONDS:
                self.sample()
                sampled = now
            if now > compared + COMPARE_SECONDS:
                self.compare()
                compared = time.monotonic()
                left = start + seconds - compared
                print(f"{left / 60:5.0f} min left, {sum(self.counts.values())} actions, "
                      f"{self.compared} comparisons, {len(self.failures)} failures", flush=True)
        self.compare()
        self.server.end(signal.SIGTERM)

    def report(self):
        print("actions: " + ", ".join(f"{count} {name}" for name, count in self.counts.items()))
        asked = self.compared * len(self.repositories) * 4
        print(f"compared {self.compared} times, {asked} answers; failures: {len(self.failures)}")
        for failure in self.failures[:20]:
            print(f"  {failure}")
        growths = []
        third = len(self.samples) // 3
        for name, values in zip(("memory, MB", "open files", "disk, MB"), zip(*self.samples)):
            before, after = (statistics.median(part) for part in (values[third : 2 * third], values[2 * third :]))
            growths.append(after / before)
            print(f"{name}: median {before:.0f} -> {after:.0f} ({after / before:.2f}), max {max(values):.0f}")
        return max(growths)


def told(server, repository, questions):
    """Returns a server's answers about a repository; None while it is not up to date."""
    status, state = server.call("GET", f"/repos/{repository.name}?skipped=true")
    if status != 200 or state["state"] != "ready" or (state.get("watch") or {}).get("pending_files"):
        return None
    fields = ("commit", "dirty", "files", "skipped", "definitions", "languages")
    result = [json.dumps(state.get(field)) for field in fields]
    for question in questions:
        body = {"repo": repository.name, "query": question, "limit": 100, "explain": True}
        status, answer = server.call("POST", "/context", body)
        if status != 200 or "history_loading" in str(answer["issues"]):
            return None
        for field in FLEETING:
            answer.pop(field)
        answer["issues"] = [issue for issue in answer["issues"] if issue["code"] != "polling"]
        result.append(json.dumps(answer))
    return result


def wait(told, wanted=None):
    """Polls `told` until it is complete and equal to `wanted`, if given; returns the last result at a timeout."""
    end = time.monotonic() + TIMEOUT
    while True:
        result = told()
        if result is not None and wanted in (None, result) or time.monotonic() > end:
            return result
        time.sleep(0.3)


def difference(told_now, wanted):
    if told_now is None or wanted is None:
        return "no whole answer"
    for mine, other in zip(told_now, wanted):
        if mine != other:
            at = next((i for i, (a, b) in enumerate(zip(mine, other)) if a != b), 0)
            return f"…{mine[max(0, at - 80) : at + 80]}… instead of …{other[max(0, at - 80) : at + 80]}…"
    return "another number of answers"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def handle(self):
        # The server that fetches may be stopped or killed meanwhile.
        with contextlib.suppress(ConnectionError):
            super().handle()


def serve(directory):
    """Serves the files of a directory over http, on loopback."""
    handler = functools.partial(Quiet, directory=str(directory))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-growth", type=float, default=float("inf"))
    parser.add_argument("foveate")
    parser.add_argument("sources", nargs="+", type=lambda text: Path(text).resolve())
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        soak = Soak(arguments, Path(place).resolve())
        try:
            soak.run(arguments.minutes * 60)
        finally:
            soak.server.process.kill()
        growth = soak.report()
    sys.exit(1 if soak.failures or growth > arguments.max_growth else 0)


if __name__ == "__main__":
    main()
