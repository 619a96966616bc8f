"""Tests the main job on real sources: indexes them, asks questions with known answers, reads the metrics.

usage: main_job.py FOVEATE SOURCES
"""

import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

foveate, sources = sys.argv[1], Path(sys.argv[2]).resolve()

# Repository, question, paths of which one must be among the first three files, and a text that the context
# must contain.
QUESTIONS = [
    (
        "flask",
        "Where is url_for defined?",
        ["src/flask/helpers.py", "src/flask/app.py"],
        "def url_for(",
    ),
    (
        "flask",
        "send_from_directory: `NotFound` is raised for a directory relative to the root path",
        ["src/flask/helpers.py"],
        "def send_from_directory(",
    ),
    (
        "flask",
        "Session is lost\n\nTraceback (most recent call last):\n"
        '  File "/srv/venv/lib/python3.12/site-packages/flask/app.py", line 1536, in wsgi_app\n'
        "    response = self.full_dispatch_request()\n"
        '  File "/srv/venv/lib/python3.12/site-packages/flask/sessions.py", line 337, in open_session\n'
        "    data = s.loads(val, max_age=max_age)\n"
        "itsdangerous.exc.BadData: signature does not match",
        ["src/flask/sessions.py"],
        "def open_session(",
    ),
    (
        "django",
        "QuerySet.bulk_create() with update_conflicts=True does not check unique_fields\n\n"
        "`bulk_create` should raise an error when `unique_fields` names a field without a constraint.",
        ["django/db/models/query.py"],
        "def bulk_create(",
    ),
    (
        "django",
        "parse_duration() fails on negative ISO 8601 durations such as -PT15M",
        ["django/utils/dateparse.py"],
        "def parse_duration(",
    ),
    (
        "django",
        "makemigrations detects a change of the field again and again: the autodetector's deconstruct "
        "comparison of a partial never gets equal",
        ["django/db/migrations/autodetector.py"],
        "deep_deconstruct",
    ),
    (
        "zod",
        "treeifyError drops the errors of nested array items",
        ["src/v4/core/errors.ts"],
        "export function treeifyError",
    ),
    (
        "zod",
        "z.iso.datetime({ precision: 0 }) accepts fractions of a second: wrong regex for datetime",
        ["src/v4/core/regexes.ts"],
        "datetime(",
    ),
]

READY_WITHIN_S = 180


def fail(text):
    sys.exit(f"main job: {text}")


def call(base, method, path, body=None):
    """Sends one request. Returns status, headers and text."""
    payload = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"} if payload else {}
    request = urllib.request.Request(base + path, data=payload, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(what, condition):
    started = time.monotonic()
    while time.monotonic() - started < READY_WITHIN_S:
        value = condition()
        if value is not None:
            return value
        time.sleep(0.1)
    fail(f"{what} is not ready after {READY_WITHIN_S} s")


def healthy(base, server):
    if server.poll() is not None:
        fail(f"the server ended with {server.returncode}")
    try:
        return call(base, "GET", "/healthz")[0] == 200 or None
    except OSError:
        return None


def register(base, name):
    started = time.monotonic()
    source = {"path": str(sources / name)}
    status, _, text = call(base, "POST", "/repos", {"name": name, "source": source})
    if status != 201:
        fail(f"POST /repos {name}: {status} {text}")

    def ready():
        repo = json.loads(call(base, "GET", f"/repos/{name}")[2])
        if repo["state"] == "failed":
            fail(f"{name}: {repo['error']}")
        return repo if repo["state"] == "ready" else None

    repo = wait_until(name, ready)
    seconds = time.monotonic() - started
    print(f"{name}: {repo['files']} files, {repo['definitions']} definitions, ready in {seconds:.1f} s")


def ask(base, repo, query, wanted, text):
    body = {"repo": repo, "query": query, "budget_tokens": 8000}
    status, _, reply = call(base, "POST", "/context", body)
    if status != 200:
        fail(f"POST /context: {status} {reply}")
    answer = json.loads(reply)
    first = [file["path"] for file in answer["files"][:3]]
    title = query.splitlines()[0]
    if not set(first) & set(wanted):
        fail(f"{repo}: {title!r} gives {first}, wanted one of {wanted}")
    if text not in answer["context"]:
        fail(f"{repo}: {title!r}: {text!r} is not in the context")
    if not 0 < answer["tokens"]["used"] <= 8000:
        fail(f"{repo}: {title!r} uses {answer['tokens']['used']} tokens of 8000")
    place = next(at for at, path in enumerate(first, 1) if path in wanted)
    total = answer["timings_ms"]["total"]
    print(f"{repo}: {title[:70]!r}: file {place}, {answer['tokens']['used']} tokens, {total:.0f} ms")


def check_metrics(base):
    status, headers, text = call(base, "GET", "/metrics")
    if status != 200 or not headers["content-type"].startswith("text/plain"):
        fail(f"GET /metrics: {status}, {headers['content-type']}")
    families = {family.name: family for family in text_string_to_metric_families(text)}
    samples = [sample for family in families.values() for sample in family.samples]
    if len(families) < 8:
        fail(f"only {len(families)} metric families: {sorted(families)}")
    answered = sum(
        sample.value
        for sample in samples
        if sample.name.endswith("_total") and "/context" in json.dumps(sample.labels)
    )
    if answered < len(QUESTIONS):
        fail(f"the metrics count {answered} requests of /context, there were {len(QUESTIONS)}")
    print(f"metrics: {len(families)} families, {len(samples)} samples")


def check_refusals(base):
    for method, path, body, wanted in [
        ("POST", "/context", {"repo": "none", "query": "x"}, 404),
        ("POST", "/context", {"repo": "flask", "query": "x", "nonsense": 1}, (400, 422)),
        ("POST", "/context", {"repo": "flask", "query": ""}, (400, 422)),
        ("GET", "/repos/none", None, 404),
    ]:
        status, headers, text = call(base, method, path, body)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        problem = json.loads(text)
        is_problem = headers["content-type"].startswith("application/problem+json")
        if status not in wanted or not is_problem or not problem.get("code"):
            fail(f"{method} {path} {body}: {status} {text}")
    print("refusals: each is a problem with a code")


def check_command_line():
    repo, query, wanted, text = QUESTIONS[0]
    command = [foveate, "context", str(sources / repo), query, "--no-cache"]
    context = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if text not in context or not any(path in context for path in wanted):
        fail(f"foveate context {query!r} does not show {text!r}")
    reply = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True).stdout
    if not {file["path"] for file in json.loads(reply)["files"][:3]} & set(wanted):
        fail(f"foveate context --json {query!r}: none of {wanted}")
    print("command line: foveate context answers the same")


def main():
    check_command_line()
    base = f"http://127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory() as data:
        log = Path(data) / "log"
        address = base.removeprefix("http://")
        command = [foveate, "serve", "--listen", address, "--data-dir", str(Path(data) / "data")]
        with log.open("w") as output:
            server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            wait_until("the server", lambda: healthy(base, server))
            for name in ["flask", "django", "zod"]:
                register(base, name)
            if call(base, "GET", "/readyz")[0] != 200:
                fail("GET /readyz says no")
            for question in QUESTIONS:
                ask(base, *question)
            check_refusals(base)
            check_metrics(base)
            server.send_signal(signal.SIGTERM)
            if server.wait(timeout=30) != 0:
                fail(f"after SIGTERM the server ended with {server.returncode}")
            if re.search(r"panicked at", log.read_text()):
                fail("the server panicked")
            print("stop: SIGTERM, exit code 0")
        except BaseException:
            sys.stdout.write(log.read_text()[-4000:])
            raise
        finally:
            server.kill()


main()
