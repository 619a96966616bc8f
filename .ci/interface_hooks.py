"""Adjusts schemathesis's requests, so that they get more than refusals.

Valid requests get a source that exists and, three times out of four, a repository and a ref that exist; the
fourth keeps the generated values. In the stateful phase every ref exists: there any 404 about a created
repository is taken for an error, and an unknown ref is one. Invalid requests are not changed.
Environment: FOVEATE_FIXTURE, a git working tree that is registered as `shop`.
"""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

import schemathesis
from schemathesis import GenerationMode

FIXTURE = os.environ["FOVEATE_FIXTURE"]
# Repositories that are kept, in addition to `shop`, outside the stateful phase, which removes its own.
MOST_REGISTERED = 20
READY_WITHIN_S = 60

registered = []
# The id of the last answered request.
answered = []


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    is_stateful = case.meta.phase.name == "stateful"

    def has_existing_ref(values):
        return is_stateful or is_chosen(values)

    body = case.body if isinstance(case.body, dict) else {}
    if (case.method, case.path) == ("POST", "/repos"):
        source = body["source"]
        source["path" if "path" in source else "git"] = FIXTURE
        # A valid ref that the source lacks is refused like an invalid one.
        if isinstance(source.get("ref"), str):
            source["ref"] = "HEAD"
    elif case.path.endswith("/context"):
        complete(body)
        if isinstance(body.get("ref"), str) and has_existing_ref(body):
            body["ref"] = "HEAD"
        if isinstance(body.get("diff"), dict) and has_existing_ref(body):
            body["diff"] = {"base": "HEAD~1", "head": "HEAD"}
        if not is_stateful and "repo" in body and is_chosen(body):
            body["repo"] = "shop"
    elif case.path == "/feedback":
        # Only the text of the description says that one of the fields is required.
        body["comment"] = "of use"
        if answered and is_chosen(body):
            body["request_id"] = answered[-1]
    elif "cursor" in (case.query or {}) or case.path.startswith("/repos/{repo}/"):
        look_up(case, has_existing_ref)
    if not is_stateful and "repo" in case.path_parameters and case.method != "DELETE":
        if is_chosen([case.path_parameters["repo"], body]):
            case.path_parameters["repo"] = "shop"


@schemathesis.hook
def after_call(context, case, response):
    if case.path.endswith("/context") and response.status_code == 200:
        answered[:] = response.headers["x-request-id"][:1]
    if (case.method, case.path, response.status_code) != ("POST", "/repos", 201):
        return
    server = response.request.url.removesuffix("/repos")
    name = response.json()["name"]
    wait_until_ready(server, name)
    if case.meta is not None and case.meta.phase.name != "stateful":
        registered.append(name)
        if len(registered) > MOST_REGISTERED:
            call("DELETE", server, registered.pop(0))


def complete(body):
    """Applies rules that only the text states: a question has a text or a diff, and with a diff no ref."""
    if isinstance(body.get("diff"), dict):
        body.pop("ref", None)
    elif not (body.get("query") or "").strip():
        body["query"] = "shop"


def look_up(case, has_existing_ref):
    """Applies rules for lookups that only the text states: which parameters go together, and that cursors and
    regular expressions cannot be generated."""
    query = case.query if isinstance(case.query, dict) else {}
    query.pop("cursor", None)
    if isinstance(query.get("ref"), str) and has_existing_ref(query):
        query["ref"] = "HEAD"
    if query.get("kind") == "regex":
        query["q"] = "sh[aeiou]p"
    if isinstance(query.get("lines"), str):
        query["lines"] = "1-2"
    if case.path.endswith("/references"):
        query.pop("line", None)
        query.setdefault("name", "checkout")


def is_chosen(values):
    """Selects three of four values, always the same ones."""
    return zlib.crc32(json.dumps(values, sort_keys=True).encode()) % 4 != 0


def wait_until_ready(server, name):
    """Waits until the repository is ready: its answers would be 503, which is correct but tests nothing."""
    started = time.monotonic()
    while time.monotonic() - started < READY_WITHIN_S:
        repo = call("GET", server, name)
        if repo is None or repo["state"] != "indexing":
            return
        time.sleep(0.02)
    raise AssertionError(f"{name} is not ready after {READY_WITHIN_S} s")


def call(method, server, name):
    url = f"{server}/repos/{urllib.parse.quote(name, safe='')}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method)) as response:
            return json.loads(response.read() or b"null")
    except urllib.error.HTTPError:
        return None
