"""Uses the service as attackers, bots, operators and newcomers would: over HTTP and the command line, with a real
server. Each check is for a defect that once existed.

usage: hard_use.py FOVEATE
"""

import gzip
import http.client
import json
import os
import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

FOVEATE = Path(sys.argv[1]).resolve()
TIMEOUT = 120
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
CLEAN = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "RUST_BACKTRACE": "0",
}
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def git(directory, *arguments):
    command = [*GIT, "-C", str(directory), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=CLEAN).stdout.strip()


def repository(directory, files):
    for path, text in files.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(directory, "init", "-q")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", "first")
    return git(directory, "rev-parse", "HEAD")


SHOP = {
    "shop/cart.py": "from shop.price import total_price\n\n\nclass Cart:\n    def checkout(self):\n"
    "        return total_price(self.items)\n",
    "shop/price.py": "def total_price(items):\n    return sum(item.price for item in items)\n",
}


class Server:
    """A server for one `with` block."""

    def __init__(self, data, *arguments, listen="127.0.0.1:0", files=None, **settings):
        self.log = tempfile.TemporaryFile("w+")
        environment = {**CLEAN, **{f"FOVEATE__{key}": value for key, value in settings.items()}}

        def limit():
            os.umask(0o022)
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        self.process = subprocess.Popen(
            [FOVEATE, "serve", "--listen", listen, "--data-dir", data, *arguments],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=environment,
            preexec_fn=limit,
        )
        self.said = [self.process.stdout.readline()]
        self.port = int(re.search(r":(\d+)\s*$", self.said[0]).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(TIMEOUT)

    def call(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        headers = dict(headers or {})
        if isinstance(body, dict):
            body = json.dumps(body)
            headers.setdefault("content-type", "application/json")
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        data = response.read()
        connection.close()
        is_json = "json" in (response.getheader("content-type") or "") and not response.getheader("content-encoding")
        return response.status, json.loads(data) if is_json and data else data, response

    def add(self, name, **source):
        status, answer, _ = self.call("POST", "/repos", {"name": name, "source": source})
        return status, answer

    def ready(self, name):
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            quoted = urllib.parse.quote(name, safe="")
            answer = self.call("GET", f"/repos/{quoted}")[1]
            if answer.get("state") == "ready":
                return answer
            time.sleep(0.02)
        raise AssertionError(f"{name} is not ready: {answer}")

    def logged(self):
        self.log.seek(0)
        return self.log.read()


def same(found, wanted, what=""):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


@check
def git_file_cannot_lead_outside_allow_paths(place):
    secret = repository(place / "outside", {"vault.py": "def the_secret():\n    return 42\n"})
    allowed = place / "allowed"
    repository(allowed / "shop", SHOP)
    linked = allowed / "gf"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {place}/outside/.git\n")
    for listen in ("127.0.0.1:0", "0.0.0.0:0"):
        with Server(place / "data", listen=listen, REPOS__ALLOW_PATHS=f"[{allowed}]", ACCESS__ALLOW_ANONYMOUS="true") as server:
            for source in ({"path": str(linked)}, {"git": str(linked)}):
                status, answer = server.add("gf", **source)
                same((status, answer.get("code")), (403, "path_not_allowed"), source)
            server.add("shop", path=str(allowed / "shop"))
            server.ready("shop")
            alternates = allowed / "shop/.git/objects/info/alternates"
            alternates.write_text(f"{place}/outside/.git/objects\n")
            body = {"repo": "shop", "query": "`the_secret`", "ref": secret}
            status, answer, _ = server.call("POST", "/context", body)
            same((status, answer.get("code")), (403, "path_not_allowed"), "alternates")
            alternates.unlink()
            server.call("DELETE", "/repos/shop")


@check
def search_expressions_in_refs_are_refused_at_once(place):
    repository(place / "shop", SHOP)
    with Server(place / "data") as server:
        server.add("shop", path=str(place / "shop"))
        server.ready("shop")
        began = time.monotonic()
        for ref in ("HEAD^{/((a{1,120}){1,120}){1,120}}", ":/first", "HEAD@{yesterday}"):
            status, answer, _ = server.call("POST", "/context", {"repo": "shop", "query": "x", "ref": ref})
            same((status, answer.get("field")), (400, "ref"), ref)
        assert time.monotonic() - began < 5, "refused at once"
        for ref in ("HEAD", "main", "HEAD~0^0"):
            status, answer, _ = server.call("POST", "/context", {"repo": "shop", "query": "x", "ref": ref})
            same(status, 200, (ref, answer))


@check
def data_directory_is_private_and_database_has_no_secret(place):
    data = place / "data"
    data.mkdir(mode=0o755)
    with Server(data) as server:
        server.add("x", git="https://user:s3cretpw@127.0.0.1:1/x.git")
        found = []
        for file in (data, *data.rglob("*")):
            try:
                mode = stat.S_IMODE(file.lstat().st_mode)
                if file.is_file() and b"s3cretpw" in file.read_bytes():
                    found.append(file.name)
            except FileNotFoundError:
                # A failed clone removes its files meanwhile.
                continue
            same(mode & 0o077, 0, f"{file} has the mode {mode:o}")
        same(found, ["x.json"], "files with the secret")
        assert "s3cretpw" not in server.logged()


@check
def half_open_connections_do_not_block_the_server(place):
    with Server(place / "data", files=128) as server:
        held = []
        for _ in range(600):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: x")
            held.append(connection)
        for path in ("/healthz", "/readyz", "/metrics"):
            same(server.call("GET", path)[0], 200, path)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        same(server.process.wait(TIMEOUT), 0, "end")
        assert time.monotonic() - began < 5, "half-open connections hold up the end"
    with Server(place / "data", SERVER__HEAD_TIMEOUT_MS="200") as server:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: x")
        while connection.recv(1024):
            pass


@check
def server_survives_a_file_that_breaks_a_parser(place):
    killer = ("/*" * 40 + "\n") * 200
    shop = place / "shop"
    repository(shop, {**SHOP, "shop/killer.py": killer})
    with Server(place / "data") as server:
        server.add("shop", path=str(shop))
        server.ready("shop")
        question = {"repo": "shop", "query": "total_price in shop/price.py is wrong"}
        status, answer, _ = server.call("POST", "/context", question)
        same((status, answer["files"][0]["path"]), (200, "shop/price.py"), "the first file")
        missing = [issue["detail"] for issue in answer["issues"] if issue["code"] == "skipped_files"]
        assert len(missing) == 1 and "1 timeout): shop/killer.py" in missing[0], answer["issues"]
        # Another such file, and then a normal one, are saved while the server runs.
        (shop / "shop/second.py").write_text(killer)
        (shop / "shop/till.py").write_text("def open_till(till):\n    return till\n")
        until = time.monotonic() + TIMEOUT
        while "def open_till" not in server.call("POST", "/context", {"repo": "shop", "query": "open_till"})[1]["context"]:
            assert time.monotonic() < until, "what is saved beside it is not found"
            time.sleep(0.1)
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s*(\d+) kB", status).group(1))
        assert peak < 400_000, f"{peak} kB"


@check
def messages_say_what_is_wrong_and_what_to_do(place):
    wrong = subprocess.run([FOVEATE, "serve", "--listen", "nonsense"], capture_output=True, text=True, env=CLEAN)
    same(wrong.returncode, 2, wrong.stderr)
    assert "127.0.0.1:7878" in wrong.stderr and "SocketAddr" not in wrong.stderr, wrong.stderr
    repository(place / "shop", SHOP)
    with Server(place / "data") as server:
        body = gzip.compress(json.dumps({"name": "shop", "source": {"path": str(place / "shop")}}).encode())
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        status, answer, _ = server.call("POST", "/repos", body, headers)
        same(status, 201, answer)
        bomb = gzip.compress(b" " * (64 << 20))
        same(server.call("POST", "/repos", bomb, headers)[0], 413, "a gzip bomb")
        status, answer, _ = server.call("POST", "/repos", body, {**headers, "content-encoding": "br"})
        same((status, answer["code"]), (415, "unsupported_encoding"), "another coding")
        status, answer = server.add("x", git="//evil/x")
        same((status, answer["field"]), (400, "source.git"), answer)
        server.ready("shop")
        for path in ("/healthz", "/readyz", "/metrics"):
            server.call("GET", path)
        assert "/healthz" not in server.logged(), "health probes flood the log"
        relative = [FOVEATE, "repo", "--server", f"http://127.0.0.1:{server.port}", "add", "--git", "./shop", "--name", "rel"]
        added = subprocess.run(relative, cwd=place, capture_output=True, text=True, env=CLEAN)
        same(added.returncode, 0, added.stderr)


@check
def answers_follow_content_negotiation(place):
    repository(place / "shop", SHOP)
    with Server(place / "data") as server:
        status, answer = server.add("acme/shop", path=str(place / "shop"))
        same(status, 201, answer)
        server.ready("acme/shop")
        ask = {"query": "`total_price`"}
        for accept, kind, start in (
            ("text/markdown", "text/markdown", b"<!--"),
            ("application/xml", "application/xml", b"<!--"),
            ("text/plain", "text/plain", b"<!--"),
        ):
            status, data, response = server.call("POST", "/repos/acme%2Fshop/context", ask, {"accept": accept})
            same(status, 200, accept)
            assert response.getheader("content-type").startswith(kind), response.getheader("content-type")
            assert data.startswith(start) and b"def total_price" in data, data[:80]
        same(server.call("POST", "/repos/acme%2Fshop/context", ask, {"accept": "image/png"})[0], 406, "image")
        wanted = {"accept-encoding": "gzip", "accept": "text/plain;q=0, */*"}
        response = server.call("POST", "/repos/acme%2Fshop/context", ask, wanted)[2]
        same(response.getheader("content-encoding"), "gzip", "coding")
        full = server.call("POST", "/repos/acme%2Fshop/context", ask)[1]
        slim = server.call("POST", "/repos/acme%2Fshop/context", {**ask, "signals": False, "limit": 1})[1]
        assert len(slim["files"]) == 1 < len(full["files"]) and "signals" not in slim["files"][0]


@check
def hostile_names_do_not_reach_the_terminal(place):
    hostile = "a\x1b[31m\u202ered.py"
    repository(place / "shop", {**SHOP, hostile: "def paint_the_town():\n    return 'red'\n"})
    asked = subprocess.run(
        [FOVEATE, "context", place / "shop", "`paint_the_town`", "--explain", "--no-cache"],
        capture_output=True,
        text=True,
        env=CLEAN,
    )
    for said in (asked.stdout, asked.stderr):
        assert "\x1b" not in said and "\u202e" not in said, repr(said)
        assert "red.py" in said, repr(said)
    with Server(place / "data") as server:
        server.add("shop", path=str(place / "shop"))
        server.ready("shop")
        answer = server.call("POST", "/context", {"repo": "shop", "query": "`paint_the_town`"})[1]
        same(answer["files"][0]["path"], hostile, "the true path")
        codes = [issue["code"] for issue in answer["issues"]]
        assert "unsafe_characters" in codes, codes
        assert "\x1b" not in answer["context"]
        assert "\x1b" not in server.logged() and "\u202e" not in server.logged()


@check
def unknown_focus_and_skipped_files_are_reported(place):
    repository(place / "shop", {**SHOP, "shop/huge.py": "def huge():\n    pass\n" + "# filler\n" * 200_000})
    with Server(place / "data") as server:
        server.add("shop", path=str(place / "shop"))
        server.ready("shop")
        focus = {"paths": ["./shop/price.py", "shop/none.py"], "symbols": ["Cart", "NoSuchThing"]}
        answer = server.call("POST", "/context", {"repo": "shop", "query": "checkout", "focus": focus})[1]
        issues = {issue["code"]: issue["detail"] for issue in answer["issues"]}
        assert "shop/none.py" in issues["unknown_focus"] and "NoSuchThing" in issues["unknown_focus"], issues
        assert "price.py" not in issues["unknown_focus"] and "Cart" not in issues["unknown_focus"], issues
        assert "shop/huge.py" in issues["skipped_files"], issues
    focused = [FOVEATE, "context", ".", "checkout", "--focus-path", "./shop/price.py", "--no-cache"]
    asked = subprocess.run(focused, cwd=place / "shop", capture_output=True, text=True, env=CLEAN)
    same(asked.returncode, 0, asked.stderr)


@check
def frames_of_built_files_resolve_to_functions(place):
    files = {
        "package.json": '{"name": "@acme/widgets"}',
        "src/renderer.ts": "export function unmountWidgetTree(node: Node) {\n  node.remove()\n}\n",
        "src/typing.ts": "export function ownTyping(node: Node) {\n  return node\n}\n",
    }
    repository(place / "widgets", files)
    with Server(place / "data") as server:
        server.add("widgets", path=str(place / "widgets"))
        server.ready("widgets")
        for frame, wanted in (
            ("widgets.esm-bundler.js:6990:5 at unmountWidgetTree", True),
            ("    at unmountWidgetTree (widgets.esm-bundler.js:6990:5)", True),
            ("    at ownTyping (node:internal/typing:10:3)", False),
        ):
            answer = server.call("POST", "/context", {"repo": "widgets", "query": f"It breaks\n\n{frame}"})[1]
            from_frames = [symbol for symbol in answer["symbols"] if symbol["from"] == "traceback" and symbol["resolved"]]
            same(bool(from_frames), wanted, (frame, answer["symbols"]))


@check
def second_run_uses_the_cache(place):
    repository(place / "shop", SHOP)
    run = [FOVEATE, "context", place / "shop", "`total_price`", "--cache-dir", place / "cache"]

    def context(*more):
        done = subprocess.run([*run, *more], capture_output=True, text=True, env=CLEAN)
        same(done.returncode, 0, done.stderr)
        return done.stdout

    first = context("--wait-history")
    assert any((place / "cache").rglob("*.pack")), "nothing was kept"
    same(context("--wait-history"), first, "the second run")
    (place / "shop/shop/price.py").write_text("def total_price(items):\n    return 1\n")
    fresh = subprocess.run([*run[:4], "--no-cache", "--wait-history"], capture_output=True, text=True, env=CLEAN)
    same(context("--wait-history"), fresh.stdout, "a run after a change")
    for file in (place / "cache", *(place / "cache").rglob("*")):
        same(stat.S_IMODE(file.lstat().st_mode) & 0o077, 0, file)
    runs = [subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CLEAN) for _ in range(4)]
    same([process.wait(TIMEOUT) for process in runs], [0] * 4, "runs at a time")
    listed = subprocess.run([FOVEATE, "cache", "list", "--cache-dir", place / "cache"], capture_output=True, text=True, env=CLEAN)
    assert str(place / "shop") in listed.stdout, listed


def main():
    failed = 0
    for function in CHECKS:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            name = function.__name__.replace("_", " ")
            try:
                function(Path(place).resolve())
                print(f"ok      {name}")
            except Exception as error:  # noqa: BLE001: after any failure the other checks still run
                failed += 1
                print(f"FAILED  {name}\n        {type(error).__name__}: {error}")
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} hold")
    sys.exit(failed != 0)


main()
