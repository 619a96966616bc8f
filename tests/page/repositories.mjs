// Creates the test repositories: an ordinary one with two versions, a hostile one, and a large one.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { commit, git } from "./server.mjs";

const price = (body) => `"""Prices."""


def total_price(items):
    """Adds up the prices of items."""
${body}


def discounted(items, share):
    return total_price(items) * (1 - share)
`;

/** Creates two commits and returns the id of the first. */
export function shop(root) {
  mkdirSync(root, { recursive: true });
  const first = commit(root, {
    "shop/cart.py": `from shop.price import total_price


class Cart:
    """What somebody wants to buy."""

    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def checkout(self):
        """Pays for all of it."""
        return total_price(self.items)
`,
    "shop/price.py": price("    return sum(item.price for item in items)"),
    "shop/stock.py": "def in_stock(item):\n    return item.count > 0\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_checkout():\n    assert Cart().checkout() == 0\n",
    "README.md": "# Shop\n\nA cart with a total price.\n",
    "logo.png": "\u0000PNG",
  });
  commit(
    root,
    {
      "shop/price.py": `${price("    return sum(rounded(item.price) for item in items)")}\n\ndef rounded(price):\n    return round(price, 2)\n`,
    },
    "round the total price",
  );
  git(root, "tag", "v2");
  git(root, "tag", "v1", first);
  return first;
}

export const ISSUE = `Cart.checkout() gives the wrong total_price

With two items the sum is wrong:

    AssertionError: 0.30000000000000004 != 0.3
`;

const PWN = "<img src=x onerror=\"window.pwned=1\">";
const RTL = "\u202e";

/** A query, names and code that try to become markup, to end the markup around them, or to deceive the reader. */
export const HOSTILE_QUERY = `evil_total ${PWN} </textarea><script>window.pwned=2</script>`;
export function hostile(root) {
  mkdirSync(root, { recursive: true });
  const code = (name) => `def ${name}_evil_total(x):
    """evil_total ${PWN} ]]> </definition></file><script>window.pwned=3</script>"""
    fence = "\`\`\`\`" + '''
\`\`\`
#### not a heading
</details>
- not an entry
'''
    access = "${RTL}user\u2066 // admin${RTL}"
    return evil_total_of(x), "&lt;b&gt; {{constructor}} \${window.pwned=4}", "\\u003cb\\u003e"
`;
  commit(root, {
    "plain.py": code("plain"),
    [`a"><script>window.pwned=5<\\script>.py`]: code("quote"),
    ["<img src=x onerror=window.pwned=6>.py"]: code("image"),
    [`evil_total${RTL}yp.exe.py`]: code("turned"),
    ["new\nline_evil_total.py"]: code("line"),
    ["javascript:window.pwned=7.py"]: code("scheme"),
    "evil_total.md": `# evil_total ${PWN}\n\n[evil_total](javascript:window.pwned=8)\n`,
  });
}

export const FILES = 60_000;

/** Creates a bare repository with as many files as a large monorepo, with a thousand different contents. */
export function large(root) {
  const blobs = 1000;
  const source = (at) => `def f_${at}(x):\n    return x + ${at}\n`;
  const parts = [];
  for (let at = 0; at < blobs; at++) parts.push(`blob\nmark :${at + 1}\ndata ${source(at).length}\n${source(at)}\n`);
  parts.push("blob\nmark :9999\ndata 36\ndef find_the_needle():\n    return 1\n\n");
  parts.push("commit refs/heads/main\ncommitter t <t@example.org> 1700000000 +0000\ndata 5\nfirst\n");
  parts.push("M 100644 :9999 haystack/needle.py\n");
  for (let at = 1; at < FILES; at++) parts.push(`M 100644 :${(at % blobs) + 1} pkg_${at % 300}/f_${at}.py\n`);
  parts.push("done\n");
  mkdirSync(root, { recursive: true });
  git(root, "init", "--quiet", "--bare");
  execFileSync("git", ["-C", root, "fast-import", "--quiet", "--done"], { input: parts.join("") });
}
