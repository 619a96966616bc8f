// Tests the page at `/` in a real Chromium, on a real server: user actions and attacks.
// In every check, no request may go to another origin, no policy may be violated and no script may fail.
//
// usage: page.mjs FOVEATE NODE_MODULES OUT [CHECK…]
// NODE_MODULES has the packages of package-lock.json; screenshots go to OUT.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ACCESS } from "./access.mjs";
import { ACCESSIBILITY } from "./accessibility.mjs";
import { ANSWERS } from "./answers.mjs";
import { HOSTILITY } from "./hostility.mjs";
import { hostile, shop } from "./repositories.mjs";
import { Server, TIMEOUT } from "./server.mjs";
import { STATES } from "./states.mjs";

const [foveate, modules, out] = process.argv.slice(2, 5).map((path) => resolve(path));
const wanted = process.argv.slice(5);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Directory of a bundle to test without compiling it into the server. */
const ASSETS = process.env.PAGE_ASSETS;

/** The environment of a check: the server with `acme/shop` and `acme/hostile`, and pages of a browser. */
class World {
  #browser;
  #contexts = [];
  #faults = [];

  constructor(browser, server, first) {
    this.#browser = browser;
    this.server = server;
    /** The first commit of `acme/shop`. */
    this.first = first;
    this.foveate = foveate;
    this.modules = modules;
  }

  /** Opens a page in its own session; `at` is a fragment. */
  async page({ at = "", server = this.server, ...options } = {}) {
    const settings = { viewport: { width: 1280, height: 900 }, ...options };
    const context = await this.#browser.newContext(settings);
    context.setDefaultTimeout(TIMEOUT);
    this.#contexts.push(context);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    if (ASSETS !== undefined) await context.route("**/page/*", (route) => route.fulfill({ path: join(ASSETS, route.request().url().split("/").pop()) }));
    const page = await context.newPage();
    this.#watch(page, server.url);
    await page.goto(`${server.url}/${at === "" ? "" : `#${at}`}`);
    return page;
  }

  #watch(page, origin) {
    page.urls = [];
    page.on("request", (request) => {
      page.urls.push(request.url());
      if (!request.url().startsWith(`${origin}/`)) this.#faults.push(`request to ${request.url()}`);
    });
    page.on("pageerror", (error) => this.#faults.push(`script: ${error.message}`));
    page.on("dialog", (dialog) => this.#faults.push(`dialog: ${dialog.message()}`));
    page.on("console", (message) => {
      // The browser also logs refused requests.
      const isRefusal = /Failed to load resource: (the server responded|net::ERR_CONNECTION)/.test(message.text());
      if (message.type() === "error" && !isRefusal) this.#faults.push(`console: ${message.text()}`);
    });
  }

  shot(page, name, options = {}) {
    return page.screenshot({ path: join(out, `${name}.png`), ...options });
  }

  async close() {
    for (const context of this.#contexts.splice(0)) await context.close();
    const faults = this.#faults.splice(0);
    assert.deepEqual(faults, []);
  }
}

async function main() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const place = mkdtempSync(join(tmpdir(), "foveate-page-"));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const server = await Server.start(foveate, {}, place);
  try {
    const first = shop(join(place, "shop"));
    hostile(join(place, "hostile"));
    await server.add("acme/shop", { path: join(place, "shop") });
    await server.add("acme/hostile", { path: join(place, "hostile") });
    const world = new World(browser, server, first);
    for (const check of [...ANSWERS, ...STATES, ...ACCESS, ...HOSTILITY, ...ACCESSIBILITY]) {
      if (wanted.length > 0 && !wanted.includes(check.name)) continue;
      const began = Date.now();
      try {
        await check(world);
      } finally {
        await world.close();
      }
      console.log(`page: ${check.name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

await main();
