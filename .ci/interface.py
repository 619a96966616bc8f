"""Tests the HTTP interface against openapi.yaml: schemathesis makes requests from it, one by one and in
sequences, and checks every answer against it.

usage: interface.py FOVEATE SCHEMATHESIS DIRECTORY [EXAMPLES [SEED]]
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

foveate, schemathesis, directory = (Path(argument).absolute() for argument in sys.argv[1:4])
# Per operation and phase. The gate's few find omissions; use 200 for a changed interface.
examples = sys.argv[4] if len(sys.argv) > 4 else "20"
seed = sys.argv[5] if len(sys.argv) > 5 else "1"

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent / "tests/eval/repository.fast-import"
READY_WITHIN_S = 60


def fail(text):
    sys.exit(f"interface: {text}")


def fixture():
    """Creates a small working tree with a history."""
    root = directory / "shop"
    git = ["git", "-C", str(root), "-c", "init.defaultBranch=main"]
    root.mkdir()
    subprocess.run([*git, "init", "--quiet"], check=True)
    with REPOSITORY.open("rb") as stream:
        subprocess.run([*git, "fast-import", "--quiet", "--done"], check=True, stdin=stream)
    ids = subprocess.run([*git, "rev-list", "--all"], check=True, capture_output=True, text=True)
    subprocess.run([*git, "reset", "--quiet", "--hard", ids.stdout.split()[0]], check=True)
    return root


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(what, condition):
    started = time.monotonic()
    while time.monotonic() - started < READY_WITHIN_S:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.1)
    fail(f"{what} is not ready after {READY_WITHIN_S} s")


def ask(url, body=None):
    payload = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, payload, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.loads(response.read())


def main():
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    root = fixture()
    address = f"127.0.0.1:{free_port()}"
    base = f"http://{address}"
    # No path outside the fixture is allowed, whatever is generated; deadlines are long, for a busy machine.
    settings = {
        "FOVEATE__REPOS__ALLOW_PATHS": f'["{root}"]',
        "FOVEATE__ANSWER__DEADLINE_MS": "60000",
        "FOVEATE__ANSWER__BUILD_DEADLINE_MS": "60000",
        "FOVEATE__SERVER__REQUEST_TIMEOUT_MS": "120000",
    }
    command = [foveate, "serve", "--listen", address, "--data-dir", str(directory / "data")]
    log = directory / "log"
    with log.open("w") as output:
        server = subprocess.Popen(
            command, env=os.environ | settings, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        wait_until("the server", lambda: ask(f"{base}/healthz"))
        ask(f"{base}/repos", {"name": "shop", "source": {"path": str(root)}})
        wait_until("shop", lambda: ask(f"{base}/repos/shop")["history"])
        run = [schemathesis, "run", f"{base}/openapi.yaml", "--no-color", "--continue-on-failure"]
        run += ["--max-examples", examples, "--seed", seed, "--generation-database", "none"]
        hooks = {"FOVEATE_FIXTURE": str(root), "SCHEMATHESIS_HOOKS": str(HERE / "interface_hooks.py")}
        # Schemathesis writes its own files into its working directory.
        subprocess.run(run, check=True, cwd=directory, env=os.environ | hooks)
        server.send_signal(signal.SIGTERM)
        if server.wait(timeout=60) != 0:
            fail(f"after SIGTERM the server ended with {server.returncode}")
        if "panicked at" in log.read_text():
            fail("the server panicked")
    except BaseException:
        sys.stdout.write(log.read_text()[-4000:])
        raise
    finally:
        server.kill()


main()
