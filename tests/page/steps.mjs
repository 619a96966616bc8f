// Performs user actions on the page and finds its elements by roles and labels.

import assert from "node:assert/strict";
import { ISSUE } from "./repositories.mjs";

/** Returns the fragment that asks a question. */
export const asking = (parameters) => new URLSearchParams({ repo: "acme/shop", query: ISSUE, ...parameters }).toString();

export const submit = (page) => page.locator("form.ask button[type=submit]");
export const answer = (page) => page.locator("#answer");
export const rows = (page) => page.locator(".ranking > li:not(.more)");
export const bar = (row) => row.locator("button.bar");
export const items = (page) => page.locator("article.item");

/** Fills the form and waits for the answer. */
export async function ask(page, { repo = "acme/shop", query = ISSUE, ...more } = {}) {
  await page.getByLabel("Repository").selectOption(repo);
  await page.getByLabel("Issue, question").fill(query);
  if (more.ref !== undefined) await page.getByLabel("Revision", { exact: true }).fill(more.ref);
  if (more.budget !== undefined) await page.getByLabel("Budget (tokens)").fill(String(more.budget));
  await submit(page).click();
  await answer(page).waitFor();
}

/** Returns the answer to the same question from the API. */
export async function sameAnswer(server, body = {}) {
  const question = { repo: "acme/shop", query: ISSUE, explain: true, format: "xml", ...body };
  const answer = await server.call("/context", question);
  assert.equal(typeof answer.context, "string", JSON.stringify(answer));
  return answer;
}

export const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Returns the visible code of each item. */
export const codes = (page) => page.locator("article.item pre.code").allTextContents();

/** Returns by how many pixels the page is wider than the window. */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
