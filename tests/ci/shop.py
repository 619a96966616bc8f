"""Fixtures of the CI tests: a small repository, GitHub events about it, and a server that has it."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
CLEAN = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
FILES = {
    "shop/cart.py": "from shop.price import total_price\n\n\nclass Cart:\n    def checkout(self):\n"
    "        return total_price(self.items)\n",
    "shop/price.py": "def total_price(items):\n    return sum(item.price for item in items)\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_checkout():\n    assert Cart().checkout() == 0\n",
}


def git(directory, *arguments):
    command = [*GIT, "-C", str(directory), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=CLEAN).stdout.strip()


def shop(directory):
    """Creates the repository. Its branch `fix` changes shop/cart.py and is checked out."""
    for path, text in FILES.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(directory, "init", "-q")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", "open the shop")
    git(directory, "checkout", "-q", "-b", "fix")
    cart = directory / "shop/cart.py"
    cart.write_text(cart.read_text().replace("self.items)", "list(self.items))"))
    git(directory, "commit", "-q", "-a", "-m", "count once")
    return directory


def payload(name):
    return json.loads((ROOT / f"tests/fixtures/github/{name}.json").read_text())


def issue(title):
    event = payload("issues")
    event["issue"] |= {"title": title, "body": None}
    return "issues", event


def pull_request(repository):
    event = payload("pull_request")
    for end, name in (("base", "main"), ("head", "fix")):
        event["pull_request"][end]["sha"] = git(repository, "rev-parse", name)
    return "pull_request", event


def push(repository):
    event = payload("push")
    event |= {"before": git(repository, "rev-parse", "main"), "after": git(repository, "rev-parse", "fix")}
    return "push", event


def report(path):
    return (
        "<testsuite><testcase classname='tests.test_cart' name='test_checkout'><failure message='AttributeError: no price'>"
        f'Traceback (most recent call last):\n  File "/ci/{path}", line 2, in total_price\nAttributeError: no price'
        "</failure></testcase></testsuite>"
    )


def hostile(path):
    """Texts that would create a file at `path` if a shell, an expression or a workflow command file executed them."""
    return [
        f"$(touch {path})",
        f"`touch {path}`; touch {path} #",
        f"'; touch {path}; '\"; touch {path}; \"",
        f"${{{{ github.token }}}} {path}",
        f"--output={path}",
        f"x\nEOF\nfound=maybe\ncontext<<EOF\n{path}\nEOF\nmore=1",
    ]


class Server:
    """A server that needs a token and has a repository, for one `with` block."""

    def __init__(self, foveate, data, root, name):
        key = [foveate, "key", "create", "--scope", "admin", "--name", "ci", "--data-dir", data]
        made = subprocess.run(key, check=True, capture_output=True, text=True)
        self.token = re.search(r"fov_[0-9a-f]{72}", made.stdout).group(0)
        command = [foveate, "serve", "--listen", "127.0.0.1:0", "--data-dir", data]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = re.search(r"http://[\d.:]+", self.process.stdout.readline()).group(0)
        self.call("POST", "/repos", {"name": name, "source": {"path": str(root)}})
        until = time.monotonic() + TIMEOUT_S
        path = f"/repos/{name.replace('/', '%2F')}"
        while self.call("GET", path)["state"] != "ready":
            assert time.monotonic() < until, self.call("GET", path)
            time.sleep(0.1)

    def call(self, method, path, body=None):
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            return json.loads(response.read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(TIMEOUT_S)
