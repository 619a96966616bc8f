"""Runs action.yml and ci/gitlab.yml as CI systems would: their steps in order, with the files and variables that
GitHub and GitLab give to a job. Of steps that only GitHub can run (restoring caches, keeping artifacts) only the
inputs are checked; cargo is replaced by a script that links the built program. A pipeline with GitLab's job is run
by gitlab-ci-local, which supports the whole language of GitLab's files, passes artifacts on and needs rsync.

usage: workflows.py FOVEATE NPM_DIRECTORY
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

FOVEATE = Path(sys.argv[1]).resolve()
RUNNER = Path(sys.argv[2]).resolve() / "node_modules/.bin/gitlab-ci-local"
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/ci"))
from shop import Server, git, hostile, issue, payload, pull_request, push, report, shop  # noqa: E402

SUMMARY_MAX_BYTES = 1 << 20
CLEAN = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


# --- GitHub: expressions, command files, steps ---

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|==|!=|&&|\|\||!|\(|\)|[A-Za-z_][\w.-]*)")


def evaluated(expression, contexts):
    """Evaluates an expression, in the subset of the language that action.yml uses."""
    at, python = 0, []
    words = {"==": "==", "!=": "!=", "&&": " and ", "||": " or ", "!": " not ", "(": "(", ")": ")"}
    while expression[at:].strip():
        match = TOKEN.match(expression, at)
        assert match, f"cannot read {expression!r} at {at}"
        token, at = match.group(1), match.end()
        if token in words:
            python.append(words[token])
        elif token.startswith("'"):
            python.append(repr(token[1:-1].replace("''", "'")))
        else:
            value = contexts
            for part in token.split("."):
                value = value.get(part, "") if isinstance(value, dict) else ""
            python.append(repr(value))
    return eval("".join(python), {"__builtins__": {}})


def filled(text, contexts):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(evaluated(found.group(1), contexts)), str(text))


def commands(path):
    """Parses what a step wrote to $GITHUB_OUTPUT: `name=value` lines and multiline values."""
    found, lines = {}, iter(path.read_text().split("\n"))
    for line in lines:
        if match := re.match(r"([\w-]+)<<(.+)$", line):
            value = []
            for inner in lines:
                if inner == match.group(2):
                    break
                value.append(inner)
            else:
                raise AssertionError(f"{match.group(1)} has no end")
            found[match.group(1)] = "\n".join(value)
        elif line:
            name, equals, value = line.partition("=")
            assert equals, f"not a command: {line!r}"
            found[name] = value
    return found


class Job:
    """A job of GitHub's CI whose only step is the action."""

    def __init__(self, directory, event=("workflow_dispatch", {}), cached=False, **inputs):
        self.at = Path(tempfile.mkdtemp(dir=directory))
        self.temp, self.summary = self.at / "temp", self.at / "summary"
        self.temp.mkdir()
        self.summary.touch()
        (self.at / "event.json").write_text(json.dumps(event[1]))
        (self.at / "bin").mkdir()
        self.cargo = self.at / "bin/cargo"
        self.cargo.write_text(
            '#!/usr/bin/env bash\necho "$@" >>"$0.calls"\nwhile [[ $1 != --root ]]; do shift; done\n'
            f'mkdir -p "$2/bin" && ln -s {FOVEATE} "$2/bin/foveate"\n'
        )
        self.cargo.chmod(0o755)
        self.environment = {
            **CLEAN,
            "PATH": f"{self.at / 'bin'}:{CLEAN['PATH']}",
            "GITHUB_EVENT_NAME": event[0],
            "GITHUB_EVENT_PATH": str(self.at / "event.json"),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_TEMP": str(self.temp),
        }
        self.event, self.cached, self.inputs, self.used, self.log = event, cached, inputs, [], ""

    def run(self, workspace):
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        unknown = set(self.inputs) - set(action["inputs"])
        assert not unknown, f"action.yml has no input {unknown}"
        contexts = {
            "github": {
                "repository": "acme/shop",
                "action_path": str(ROOT),
                "run_id": "7",
                "event_name": self.event[0],
                "event": self.event[1],
            },
            "runner": {"os": "Linux", "arch": "X64", "temp": str(self.temp)},
            "steps": {},
        }
        given = {name: filled(spec["default"], contexts) for name, spec in action["inputs"].items()}
        contexts["inputs"] = {**given, **{name: str(value) for name, value in self.inputs.items()}}
        for step in action["runs"]["steps"]:
            if not evaluated(step.get("if", "'x'"), contexts):
                continue
            outputs = self.use(step, contexts) if "uses" in step else self.script(step, contexts, workspace)
            contexts["steps"][step.get("id", "")] = {"outputs": outputs}
        return {name: filled(spec["value"], contexts) for name, spec in action["outputs"].items()}

    def use(self, step, contexts):
        given = {name: filled(value, contexts) for name, value in step["with"].items()}
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"]), step["uses"]
        assert all(given.values()), f"{step['name']}: {given}"
        self.used.append((step["name"], given))
        if "artifact" in step["uses"]:
            assert Path(given["path"]).stat().st_size > 0
        if self.cached and "program" in given.get("key", ""):
            program = Path(given["path"]) / "bin/foveate"
            program.parent.mkdir(parents=True)
            program.symlink_to(FOVEATE)
            return {"cache-hit": "true"}
        return {}

    def script(self, step, contexts, workspace):
        output = self.at / f"output-{len(self.used)}-{len(contexts['steps'])}"
        output.touch()
        own = {name: filled(value, contexts) for name, value in step.get("env", {}).items()}
        path = self.at / "script.sh"
        path.write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", path],
            env={**self.environment, **own, "GITHUB_OUTPUT": str(output)},
            cwd=workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.log += done.stdout
        if done.returncode:
            raise Failed(step["name"], done.returncode, self.log)
        return commands(output)


class Failed(Exception):
    """A failed step: its name, its exit code, the log."""


def actions_are_safe():
    """Checks that no script contains an expression, which would execute untrusted text."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    for step in steps:
        assert "${{" not in step.get("run", ""), step["name"]
        assert ("uses" in step) != ("run" in step and step["shell"] == "bash"), step["name"]


@check
def issue_event_is_answered_in_the_job(directory):
    actions_are_safe()
    workspace = shop(directory / "a")
    job = Job(directory, issue("`total_price` is wrong"))
    outputs = job.run(workspace)
    assert outputs["found"] == "true", job.log
    assert "`shop/price.py`" in outputs["context"], outputs
    assert Path(outputs["file"]).read_text() == outputs["context"] + "\n" or outputs["context"] in Path(outputs["file"]).read_text()
    assert "`shop/price.py`" in job.summary.read_text()
    built = (job.cargo.parent / "cargo.calls").read_text()
    assert f"install --quiet --locked --path {ROOT} --root" in built, built
    assert [name for name, _ in job.used] == ["Restore the built program", "Restore the index", "Keep the context"]
    assert list((job.temp / "foveate-cache").iterdir()), "the cache of the command line is empty"


@check
def cached_program_is_reused(directory):
    workspace = shop(directory / "b")
    job = Job(directory, issue("`total_price` is wrong"), cached=True)
    assert job.run(workspace)["found"] == "true"
    assert not (job.cargo.parent / "cargo.calls").exists()
    job = Job(directory, issue("`total_price` is wrong"), binary=FOVEATE, artifact="", summary="false")
    assert job.run(workspace)["found"] == "true"
    assert [name for name, _ in job.used] == ["Restore the index"]
    assert job.summary.read_text() == ""


@check
def pull_request_and_failed_job_are_one_question(directory):
    origin = shop(directory / "c")
    workspace = directory / "clone"
    git(directory, "clone", "-q", "--depth", "1", f"file://{origin}", str(workspace))
    (directory / "report.xml").write_text(report("shop/price.py"))
    event = pull_request(origin)
    job = Job(directory, event, binary=FOVEATE, junit=f"{directory / 'report.xml'}\n")
    outputs = job.run(workspace)
    # The change, whose base the clone lacked, and the location of the failure.
    assert "shop/cart.py" in outputs["context"] and "shop/price.py" in outputs["context"], outputs["context"]
    reviewed = {**event[1], "action": "submitted", "review": {"body": "Is the sum right?"}}
    for event in (push(origin), ("pull_request_review", reviewed)):
        job = Job(directory, event, binary=FOVEATE)
        assert "shop/cart.py" in job.run(workspace)["context"]


@check
def commits_that_no_branch_leads_to_are_fetched(directory):
    origin = shop(directory / "j")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    _, of_a_fork = pull_request(origin)
    git(origin, "update-ref", "refs/pull/1/head", "fix")
    git(origin, "branch", "-q", "-M", "fix", "main")
    git(origin, "commit", "-q", "--amend", "-m", "count once, forced")
    forced = payload("push") | {"before": of_a_fork["pull_request"]["head"]["sha"], "after": git(origin, "rev-parse", "main")}
    for depth in (["--depth", "1"], []):
        for event in (("pull_request_target", of_a_fork), ("push", forced)):
            workspace = Path(tempfile.mkdtemp(dir=directory)) / "clone"
            git(directory, "clone", "-q", *depth, f"file://{origin}", str(workspace))
            job = Job(directory, event, binary=FOVEATE)
            assert "shop/cart.py" in job.run(workspace)["context"], job.log


@check
def failed_job_is_asked_about_with_its_log(directory):
    workspace = shop(directory / "d")
    log = directory / "job.log"
    log.write_text("2026-11-23T19:00:00.1Z Traceback (most recent call last):\n2026-11-23T19:00:00.1Z   File \"/ci/shop/price.py\", line 2, in total_price\n2026-11-23T19:00:00.1Z AttributeError: no price\n")
    job = Job(directory, binary=FOVEATE, log=log, query="Why does it fail?")
    assert "`shop/price.py`" in job.run(workspace)["context"], job.log
    # A report without failed tests does not fail the job.
    (directory / "passed.xml").write_text("<testsuite><testcase name='a'/></testsuite>")
    job = Job(directory, binary=FOVEATE, junit=directory / "passed.xml")
    outputs = job.run(workspace)
    assert (outputs["found"], outputs["context"].strip()) == ("false", ""), outputs
    assert "no test failed" in job.log
    assert [name for name, _ in job.used] == ["Restore the index"]
    job = Job(directory, binary=FOVEATE, junit="gone.xml")
    try:
        raise AssertionError(job.run(workspace))
    except Failed as failed:
        assert failed.args[:2] == ("Ask", 2) and "cannot read gone.xml" in failed.args[2], failed


@check
def server_is_asked_with_its_token(directory):
    workspace = shop(directory / "e")
    with Server(FOVEATE, directory / "data", workspace, "acme/shop") as server:
        inputs = {"binary": FOVEATE, "server": server.url}
        job = Job(directory, issue("`total_price` is wrong"), token=server.token, **inputs)
        outputs = job.run(directory)
        assert "`shop/price.py`" in outputs["context"], job.log
        assert server.token not in job.log
        try:
            raise AssertionError(Job(directory, issue("x"), **inputs).run(directory))
        except Failed as failed:
            assert failed.args[1] == 1 and "FOVEATE_TOKEN" in failed.args[2], failed


@check
def untrusted_text_is_not_executed(directory):
    workspace = shop(directory / "f")
    for text in hostile(directory / "executed"):
        job = Job(directory, issue(text), binary=FOVEATE, query=text, artifact="x")
        outputs = job.run(workspace)
        assert set(outputs) == {"context", "file", "found"} and outputs["found"] in ("true", "false")
    assert not (directory / "executed").exists()


@check
def large_context_fits_into_the_summary(directory):
    workspace = shop(directory / "g")
    line = "𝔘" * 80
    for n in range(40):
        names = "".join(f"    word_{m} = '{line}'\n" for m in range(30))
        (workspace / f"shop/large_{n}.py").write_text(f"def total_price_{n}(items):\n{names}    return items\n")
    asked = " ".join(f"`total_price_{n}`" for n in range(40))
    job = Job(directory, issue(asked), binary=FOVEATE, budget="128000", breadth="wide")
    job.run(workspace)
    size = job.summary.stat().st_size
    assert 10_000 < size <= SUMMARY_MAX_BYTES, size


# --- GitLab ---


def gitlab(workspace, **variables):
    """Runs the job of ci/gitlab.yml as a runner would. Returns the exit code, the context file and the log."""
    job = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())[".foveate"]
    given = {**CLEAN, "CI_PROJECT_DIR": str(workspace), "CI_PROJECT_PATH": "acme/shop"}
    # Only `$NAME` is expanded, and only once.
    for name, value in job["variables"].items():
        given[name] = re.sub(r"\$(\w+)", lambda found: given.get(found.group(1), ""), value)
    given |= {name: str(value) for name, value in variables.items()}
    with tempfile.TemporaryDirectory() as bin:
        (Path(bin) / "foveate").symlink_to(FOVEATE)
        given["PATH"] = f"{bin}:{given['PATH']}"
        script = "\n".join(job["script"])
        done = subprocess.run(["sh", "-c", script], env=given, cwd=workspace, capture_output=True, text=True)
    assert job["artifacts"]["paths"] == ["$FOVEATE_OUTPUT"]
    made = workspace / given["FOVEATE_OUTPUT"]
    return done.returncode, made.read_text() if made.exists() else "", done.stderr


@check
def gitlab_job_answers_like_the_action(directory):
    workspace = shop(directory / "h")
    ends = [git(workspace, "rev-parse", name) for name in ("main", "fix")]
    code, context, log = gitlab(
        workspace,
        CI_MERGE_REQUEST_DIFF_BASE_SHA=ends[0],
        CI_COMMIT_SHA=ends[1],
        CI_MERGE_REQUEST_TITLE="Count once",
    )
    assert code == 0 and "shop/cart.py" in context, log
    assert (workspace / ".foveate-cache").is_dir()
    (directory / "reports").mkdir()
    (directory / "reports/a.xml").write_text(report("shop/price.py"))
    code, context, log = gitlab(workspace, FOVEATE_JUNIT=directory / "reports")
    assert code == 0 and "`shop/price.py`" in context, log
    (directory / "reports/a.xml").write_text("<testsuite/>")
    assert gitlab(workspace, FOVEATE_JUNIT=directory / "reports")[:2] == (0, "")
    assert gitlab(workspace, FOVEATE_LOG="gone.log")[0] == 2
    for text in hostile(directory / "executed"):
        assert gitlab(workspace, CI_MERGE_REQUEST_TITLE=text, FOVEATE_QUERY=text)[0] == 0
    assert not (directory / "executed").exists()
    with Server(FOVEATE, directory / "data-h", workspace, "acme/shop") as server:
        code, context, log = gitlab(
            directory, FOVEATE_SERVER=server.url, FOVEATE_TOKEN=server.token, FOVEATE_QUERY="`total_price` is wrong"
        )
        assert code == 0 and "`shop/price.py`" in context, log


# A job after one whose test fails, as in docs/integrations.md, without the rules for merge requests, which need GitLab.
PIPELINE = """
include:
  - local: ci/foveate.yml

test:
  script: cp broken.xml report.xml && exit 1
  artifacts:
    when: always
    paths: [report.xml]

context:
  extends: .foveate
  stage: .post
  when: on_failure
  variables:
    FOVEATE_JUNIT: report.xml
"""


@check
def gitlab_pipeline_asks_about_the_failed_test(directory):
    workspace = shop(directory / "i")
    (workspace / "ci").mkdir()
    shutil.copy(ROOT / "ci/gitlab.yml", workspace / "ci/foveate.yml")
    (workspace / ".gitlab-ci.yml").write_text(PIPELINE)
    (workspace / "broken.xml").write_text(report("shop/price.py"))
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "test in CI")
    git(workspace, "remote", "add", "origin", "https://gitlab.com/acme/shop.git")
    (directory / "bin").mkdir()
    (directory / "bin/foveate").symlink_to(FOVEATE)
    given = {**CLEAN, "HOME": str(directory), "PATH": f"{directory / 'bin'}:{CLEAN['PATH']}"}
    command = [RUNNER, "--shell-executor-no-image"]
    done = subprocess.run(command, env=given, cwd=workspace, capture_output=True, text=True, timeout=120)
    log = done.stdout + done.stderr
    assert done.returncode == 1, log
    made = workspace / ".gitlab-ci-local/artifacts/context/foveate-context.md"
    assert made.exists() and "`shop/price.py`" in made.read_text(), log


def main():
    with tempfile.TemporaryDirectory() as keep:
        for run in CHECKS:
            directory = Path(keep) / run.__name__
            directory.mkdir()
            run(directory)
            print(f"ok {run.__name__}")


main()
