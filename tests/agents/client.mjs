// An agent's calls through the official TypeScript SDK, over both transports.
//
// usage: client.mjs FOVEATE DIRECTORY CACHE URL

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [foveate, directory, cache, url] = process.argv.slice(2);

const transports = {
  stdio: () =>
    new StdioClientTransport({
      command: foveate,
      args: ["mcp", directory],
      env: { ...process.env, FOVEATE_CACHE_DIR: cache },
    }),
  http: () => new StreamableHTTPClientTransport(new URL(url)),
};

async function check(name, transport) {
  const client = new Client({ name: "check", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ["context", "definition", "references", "outline", "search"],
  );

  const query = "Cart.checkout gives the wrong total_price";
  const progress = [];
  const call = (args) =>
    client.callTool({ name: "context", arguments: args }, undefined, {
      onprogress: (told) => progress.push(told),
    });
  const first = await call({ query });
  assert.match(first.content[0].text, /def checkout\(self\)/);
  const { shown, repo } = first.structuredContent;
  assert.ok(shown.length > 0);
  const second = await call({ query, seen: shown });
  assert.ok(second.structuredContent.shown.every((place) => !shown.includes(place)));

  const found = await client.callTool({ name: "references", arguments: { name: "total_price" } });
  assert.equal(found.structuredContent.references[0].confidence, "certain");
  const refused = await client.callTool({ name: "outline", arguments: { path: "cart.py" } });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /did you mean shop\/cart\.py\?/);

  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates[0].uriTemplate, "foveate://{repo}/{commit}/{path}");
  const uri = `foveate://${encodeURIComponent(repo)}/HEAD/shop/price.py`;
  const { contents } = await client.readResource({ uri });
  assert.match(contents[0].text, /^def total_price/);

  const stop = new AbortController();
  stop.abort();
  const cancelled = client.callTool({ name: "search", arguments: { q: "x" } }, undefined, {
    signal: stop.signal,
  });
  await assert.rejects(cancelled);
  await client.ping();
  await client.close();
  console.log(`typescript over ${name}: passed`);
}

for (const [name, transport] of Object.entries(transports)) await check(name, transport());
