// Tests attacks by authors of repositories and by pages of other origins.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { HOSTILE_QUERY } from "./repositories.mjs";
import { answer, ask, asking, bar, codes, rows } from "./steps.mjs";

/** Characters that hide or reorder the text around them. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

async function assert_no_markup(page, what) {
  const found = await page.evaluate(() => ({
    pwned: window.pwned,
    images: [...document.images].map((image) => image.getAttribute("src")),
    scripts: [...document.scripts].map((script) => script.getAttribute("src")),
    handlers: document.querySelectorAll("[onerror], [onclick], [onload], [style*=url], iframe, object, embed, base").length,
    links: [...document.links].map((link) => link.protocol),
    text: document.getElementById("page").textContent,
    styles: document.querySelectorAll("style").length,
  }));
  assert.equal(found.pwned, undefined, what);
  assert.deepEqual(found.images, ["/page/icon.svg"], what);
  assert.deepEqual(found.scripts, ["/page/page.js"], what);
  assert.deepEqual([found.handlers, found.styles], [0, 0], what);
  assert.ok(found.links.every((protocol) => /^https?:$/.test(protocol)), `${what}: ${found.links}`);
  const unseen = UNSEEN.exec(found.text);
  assert.equal(unseen, null, `${what}: ${JSON.stringify(found.text.slice((unseen?.index ?? 0) - 40, (unseen?.index ?? 0) + 40))}`);
}

async function repository_text_never_becomes_markup(world) {
  for (const format of ["xml", "markdown", "json"]) {
    const at = asking({ repo: "acme/hostile", query: HOSTILE_QUERY, format, breadth: "wide", budget: "20000", limit: "100" });
    const page = await world.page({ at });
    await answer(page).waitFor();
    await page.locator(".hl-keyword").first().waitFor();
    await bar(rows(page).first()).click();
    for (const more of await page.locator(".more button").all()) await more.click();
    await assert_no_markup(page, format);
    const shown = (await codes(page)).join("\n");
    for (const text of ["window.pwned=1", "]]> </definition>", "U+202E", "U+2066", "{{constructor}}", "&lt;b&gt;"]) {
      assert.ok(shown.includes(text), `${format}: ${text}`);
    }
    const names = await page.locator(".outcome").innerText();
    for (const text of ["<img src=x onerror=window.pwned=6>.py", "evil_total\\u{202e}yp.exe.py", "new\\nline_evil_total.py"]) {
      assert.ok(names.includes(text), `${format}: ${text}`);
    }
    if (format === "xml") await world.shot(page, "hostile", { fullPage: true });
    await page.getByText("Text", { exact: true }).click();
    await page.locator("pre.whole").waitFor();
    await assert_no_markup(page, `${format} as text`);
  }
  const compared = await world.page({
    at: asking({ repo: "acme/hostile", query: HOSTILE_QUERY, compare: "1", "other-budget": "400", "other-ref": "<b>" }),
  });
  await compared.getByRole("alert").waitFor();
  await assert_no_markup(compared, "a refusal");
}

async function only_web_urls_become_links(world) {
  const page = await world.page();
  const links = ["https://github.com/acme/shop/blob/1/a.py#L1-L2", "javascript:window.pwned=9", "data:text/html,x"];
  await page.route("**/context", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const items = body.sections.flatMap((section) => section.items);
    items.forEach((item, at) => (item.link = links[at % links.length]));
    await route.fulfill({ response, json: body });
  });
  await ask(page);
  const found = await page.locator(".item a").evaluateAll((all) => all.map((link) => [link.href, link.rel, link.target]));
  assert.ok(found.length > 0);
  for (const link of found) assert.deepEqual(link, [links[0], "noopener noreferrer", "_blank"]);
  await assert_no_markup(page, "links");
}

/** Serves a page on an origin of its own, and opens it. */
async function on_another_origin(world, markup, check) {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(markup));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const page = await world.page();
    page.removeAllListeners("request");
    page.removeAllListeners("console");
    await page.goto("about:blank");
    await check(page, `http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
  }
}

async function other_pages_cannot_frame_the_page(world) {
  await on_another_origin(world, `<iframe src="${world.server.url}/"></iframe>`, async (page, evil) => {
    const refused = page.waitForEvent("console", (message) => /frame-ancestors/.test(message.text()));
    await page.goto(evil);
    await refused;
    const frame = page.frames().at(-1);
    assert.equal(await frame.locator("#page").count(), 0);
  });
}

async function forms_of_other_pages_are_refused(world) {
  const { url } = world.server;
  for (const path of ["/gc", "/repos/acme%2Fshop/sync"]) {
    const markup = `<form method="post" action="${url}${path}"><input name="x" value="y"></form><script>document.forms[0].submit()</script>`;
    await on_another_origin(world, markup, async (page, evil) => {
      const answered = page.waitForResponse((response) => response.url() === url + path);
      await page.goto(evil);
      const response = await answered;
      assert.equal(response.status(), 403, path);
      assert.equal((await response.json()).code, "origin_not_allowed");
    });
  }
  // It cannot read responses, and requests that need more than a form are not sent.
  await on_another_origin(world, "<p>evil", async (page, evil) => {
    await page.goto(evil);
    for (const body of [undefined, '{"repo":"acme/shop","query":"x"}']) {
      const read = await page.evaluate(
        ([url, body]) =>
          fetch(url, { method: body === undefined ? "GET" : "POST", headers: body === undefined ? {} : { "content-type": "application/json" }, body })
            .then(() => "read")
            .catch(() => "refused"),
        [`${url}${body === undefined ? "/repos" : "/context"}`, body],
      );
      assert.equal(read, "refused");
    }
  });
}

async function browser_refuses_markup_from_text(world) {
  const page = await world.page();
  // The browser reports each refusal.
  page.removeAllListeners("console");
  const tried = await page.evaluate(() => {
    const tries = [
      () => (document.body.innerHTML = "<b>x</b>"),
      () => document.createElement("div").insertAdjacentHTML("beforeend", "x"),
      () => document.write("x"),
      () => new Worker("/page/page.js"),
      () => window.trustedTypes.createPolicy("other", {}),
    ];
    return tries.map((attempt) => {
      try {
        attempt();
        return "done";
      } catch (error) {
        return error.name;
      }
    });
  });
  assert.deepEqual(tried, Array(5).fill("TypeError"));
}

async function slow_highlighting_does_not_block_the_page(world) {
  const page = await world.page();
  const workers = [];
  const ended = new Promise((resolve) => {
    page.on("worker", (worker) => workers.push(worker.once("close", resolve)));
  });
  const endless = { contentType: "text/javascript", body: "onmessage = () => { for (;;); };" };
  await page.context().route("**/page/highlight.js", (route) => route.fulfill(endless));
  await ask(page);
  assert.ok((await codes(page)).join("").includes("def "));
  await bar(rows(page).first()).click();
  await page.locator(".signals button").first().waitFor();
  // The first worker is ended, and the next text gets another one.
  await ended;
  while (workers.length < 2) await page.waitForEvent("worker");
  assert.equal(await page.locator("[class^=hl-]").count(), 0);
}

export const HOSTILITY = [
  repository_text_never_becomes_markup,
  only_web_urls_become_links,
  other_pages_cannot_frame_the_page,
  forms_of_other_pages_are_refused,
  browser_refuses_markup_from_text,
  slow_highlighting_does_not_block_the_page,
];
