// Tests outcomes other than an answer: refusals, repositories that are being indexed, unreachable servers.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FILES, ISSUE, large, shop } from "./repositories.mjs";
import { Server } from "./server.mjs";
import { answer, ask, asking, rows, submit } from "./steps.mjs";

async function unknown_revision_is_reported_and_can_be_corrected(world) {
  const page = await world.page();
  await page.getByLabel("Revision", { exact: true }).fill("nowhere");
  await page.getByLabel("Repository").selectOption("acme/shop");
  await page.getByLabel("Issue, question").fill(ISSUE);
  await submit(page).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /No such commit, branch or tag[\s\S]*unknown_ref/);
  await world.shot(page, "bad_revision");
  const field = page.getByLabel("Revision", { exact: true });
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.ok(await field.evaluate((element) => element === document.activeElement));
  await field.fill("v1");
  await submit(page).click();
  await answer(page).waitFor();
  assert.ok((await page.locator(".summary").innerText()).includes(world.first.slice(0, 10)));
  const unknown = await world.page({ at: asking({ repo: "acme/none" }) });
  assert.match(await unknown.getByRole("alert").innerText(), /No such repository/);
}

async function invalid_number_stays_until_it_is_corrected(world) {
  const page = await world.page();
  const budget = page.getByLabel("Budget (tokens)", { exact: true });
  await page.getByLabel("Issue, question").fill(ISSUE);
  for (const wrong of ["1000000", "5", ""]) {
    await budget.fill(wrong);
    await page.getByText("wide", { exact: true }).first().click();
    await page.getByText("precise", { exact: true }).first().click();
    assert.equal(await budget.inputValue(), wrong);
    await submit(page).click();
    assert.ok(await budget.evaluate((element) => element === document.activeElement && !element.validity.valid));
    assert.equal(await answer(page).count(), 0);
  }
  await budget.fill("3000");
  await submit(page).click();
  await answer(page).waitFor();
  assert.match(await page.locator(".summary").innerText(), /of 3,000/);
}

async function refusals_show_when_to_retry(world) {
  const page = await world.page();
  const problem = (status, code) => ({
    status,
    headers: { "retry-after": "2" },
    contentType: "application/problem+json",
    json: { type: `urn:foveate:problem:${code}`, title: "", status, code, detail: "come back later", request_id: "r-1" },
  });
  for (const [status, code] of [
    [429, "rate_limited"],
    [429, "overloaded"],
    [503, "deadline"],
  ]) {
    await page.route("**/context", (route) => route.fulfill(problem(status, code)));
    await page.getByLabel("Repository").selectOption("acme/shop");
    await page.getByLabel("Issue, question").fill(ISSUE);
    await submit(page).click();
    const alert = page.getByRole("alert").filter({ hasText: code });
    await alert.waitFor();
    assert.match(await alert.innerText(), /come back later[\s\S]*r-1/);
    const again = alert.getByRole("button");
    assert.ok(await again.isDisabled());
    assert.match(await again.innerText(), /Ask again in [12] s/);
    await page.unroute("**/context");
    await page.locator(".problem button:enabled").click();
    await answer(page).waitFor();
  }
  // The error page of a proxy.
  await page.route("**/context", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad" }));
  await submit(page).click();
  await page.getByText("answered with status 502").waitFor();
}

async function indexing_progress_is_shown_until_the_answer(world) {
  const place = mkdtempSync(join(tmpdir(), "foveate-large-"));
  try {
    large(place);
    const page = await world.page({ at: "repositories" });
    await page.getByText("acme/shop").first().waitFor();
    await world.server.call("/repos", { name: "acme/large", source: { git: place } });
    await page.reload();
    const card = page.locator(".repositories > li", { hasText: "acme/large" });
    await card.getByText("indexing").waitFor();
    await card.getByRole("progressbar").waitFor();
    await world.shot(page, "indexing");
    // A question during indexing is answered once the index is built.
    await card.getByRole("button", { name: "Ask" }).click();
    await page.getByLabel("Issue, question").fill("find_the_needle gives the wrong number");
    await submit(page).click();
    await page.locator(".problem.waiting").waitFor();
    await page.locator(".problem.waiting progress").waitFor();
    await world.shot(page, "waiting");
    await answer(page).waitFor();
    assert.match(await rows(page).first().innerText(), /find_the_needle/);
    await page.getByRole("button", { name: /^Repositories/ }).click();
    await card.getByText(FILES.toLocaleString("en")).first().waitFor();
    await world.shot(page, "large");
  } finally {
    await fetch(`${world.server.url}/repos/acme%2Flarge`, { method: "DELETE" });
    rmSync(place, { recursive: true, force: true });
  }
}

async function repositories_are_polled_one_at_a_time_while_the_page_is_visible(world) {
  const page = await world.page();
  await page.getByLabel("Repository").getByRole("option", { name: "acme/shop" }).waitFor({ state: "attached" });
  let polls = 0;
  // A busy repository is polled every second.
  await page.route("**/repos", async (route) => {
    polls += 1;
    const response = await route.fetch();
    const { repos } = await response.json();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.fulfill({ response, json: { repos: repos.map((repo) => ({ ...repo, state: "indexing" })) } });
  });
  const changeVisibility = (hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
    document.dispatchEvent(new Event("visibilitychange"));
  };
  const polled = page.waitForResponse(`${world.server.url}/repos`);
  for (const hidden of [true, false, true, false, true]) await page.evaluate(changeVisibility, hidden);
  await polled;
  await page.waitForTimeout(2500);
  assert.equal(polls, 1);
  await page.evaluate(changeVisibility, false);
  await page.getByRole("button", { name: /busy/ }).waitFor();
  await page.waitForResponse(`${world.server.url}/repos`);
}

async function stopped_or_empty_server_is_reported(world) {
  const server = await Server.start(world.foveate);
  try {
    const page = await world.page({ server });
    await page.getByRole("button", { name: /^Repositories/ }).click();
    await page.getByText("foveate repo add").waitFor();
    const root = join(server.data, "shop");
    shop(root);
    await server.add("acme/shop", { path: root });
    await page.reload();
    await page.getByRole("button", { name: "Ask", exact: true }).first().click();
    await ask(page);
    await server.stop();
    await submit(page).click();
    await page.getByText("The server cannot be reached").waitFor();
  } finally {
    await server.remove();
  }
}

export const STATES = [
  invalid_number_stays_until_it_is_corrected,
  unknown_revision_is_reported_and_can_be_corrected,
  refusals_show_when_to_retry,
  indexing_progress_is_shown_until_the_answer,
  repositories_are_polled_one_at_a_time_while_the_page_is_visible,
  stopped_or_empty_server_is_reported,
];
