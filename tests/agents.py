"""Tests the MCP server as coding agents use it: the official client SDKs and the inspector call the tools over both
transports.

usage: agents.py FOVEATE NODE_MODULES
NODE_MODULES is an installation of tests/agents/package-lock.json.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from mcp import Client, StdioServerParameters

FOVEATE, MODULES = (Path(argument).resolve() for argument in sys.argv[1:3])
HERE = Path(__file__).resolve().parent
TIMEOUT_S = 60
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
SHOP = {
    "shop/cart.py": "from shop.price import total_price\n\n\nclass Cart:\n    def checkout(self):\n"
    "        return total_price(self.items)\n",
    "shop/price.py": "def total_price(items):\n    return sum(item.price for item in items)\n",
}
QUERY = "Cart.checkout gives the wrong total_price"
TOOLS = ["context", "definition", "references", "outline", "search"]


def repository(root):
    for path, text in SHOP.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*GIT, "-C", str(root), *command], check=True)


class Server:
    """A server that watches the directory."""

    def __init__(self, root, data):
        command = [FOVEATE, "serve", "--listen", "127.0.0.1:0", "--data-dir", data, "--watch", root]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.url = re.search(r"http://\S+", self.process.stdout.readline()).group(0)

    def __enter__(self):
        until = time.monotonic() + TIMEOUT_S
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"{self.url}/readyz", timeout=10).close()
                return self
            except OSError:
                time.sleep(0.05)
        sys.exit("agents: the server is not ready")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(TIMEOUT_S)


async def check(name, server):
    """The calls of one agent through the Python SDK."""
    async with Client(server, read_timeout_seconds=TIMEOUT_S) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools == TOOLS, tools
        first = await client.call_tool("context", {"query": QUERY})
        assert "def checkout(self)" in first.content[0].text, first
        shown = first.structured_content["shown"]
        second = await client.call_tool("context", {"query": QUERY, "seen": shown})
        assert shown and not set(shown) & set(second.structured_content["shown"]), second
        found = await client.call_tool("definition", {"name": "Cart.checkout"})
        assert found.structured_content["definitions"][0]["path"] == "shop/cart.py", found
        refused = await client.call_tool("search", {"q": "(", "kind": "regex"})
        assert refused.is_error and "cannot be used" in refused.content[0].text, refused
        repo = first.structured_content["repo"]
        read = await client.read_resource(f"foveate://{repo}/HEAD/shop/price.py")
        assert read.contents[0].text == SHOP["shop/price.py"], read
    print(f"python over {name}: passed")


def typescript(root, cache, url):
    # Node looks for modules beside the script.
    with tempfile.TemporaryDirectory() as at:
        script = shutil.copy(HERE / "agents/client.mjs", at)
        os.symlink(MODULES, Path(at) / "node_modules")
        command = ["node", script, FOVEATE, root, cache, f"{url}/mcp"]
        subprocess.run(command, check=True, timeout=4 * TIMEOUT_S)


def inspector(root, cache, url):
    """Lists the tools and calls one with the MCP inspector, over both transports."""
    command = [MODULES / ".bin/mcp-inspector", "--cli"]
    local = [FOVEATE, "mcp", root]
    for name, server in (("stdio", local), ("http", [f"{url}/mcp", "--transport", "http"])):

        def ask(*method):
            run = subprocess.run(
                [*command, *server, "--method", *method],
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                env={**os.environ, "FOVEATE_CACHE_DIR": str(cache)},
            )
            assert run.returncode == 0, (name, method, run.stderr)
            return json.loads(run.stdout)

        tools = [tool["name"] for tool in ask("tools/list")["tools"]]
        assert tools == TOOLS, tools
        answer = ask("tools/call", "--tool-name", "context", "--tool-arg", f"query={QUERY}")
        assert "def checkout(self)" in answer["content"][0]["text"], answer
        print(f"inspector over {name}: passed")


def readme(root, cache):
    """Checks that the commands for agents in README.md work unchanged."""
    text = (HERE.parent / "README.md").read_text()
    section = text.split("## Coding agents\n", 1)[1]
    lines = re.search(r"```sh\n(.*?)```", section, re.DOTALL).group(1)
    commands = [shlex.split(line, comments=True) for line in lines.splitlines()]
    starts = [command[command.index("--") + 1 :] for command in commands if "--" in command]
    assert starts, "the README starts no agent"
    for start in starts:
        assert start[0] == "foveate", start
        parameters = StdioServerParameters(
            command=str(FOVEATE), args=start[1:], cwd=root, env={"FOVEATE_CACHE_DIR": cache}
        )
        asyncio.run(check(f"`{shlex.join(start)}`", parameters))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        root, cache, data = (Path(scratch) / name for name in ("shop", "cache", "data"))
        repository(root)
        local = StdioServerParameters(
            command=str(FOVEATE), args=["mcp", str(root)], env={"FOVEATE_CACHE_DIR": str(cache)}
        )
        asyncio.run(check("stdio", local))
        with Server(root, data) as server:
            asyncio.run(check("http", f"{server.url}/mcp"))
            typescript(root, cache, server.url)
            inspector(root, cache, server.url)
        readme(root, str(cache))
    print("agents: passed")


main()
