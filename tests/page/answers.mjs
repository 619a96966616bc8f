// Tests asking a question and the view of its answer.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ISSUE } from "./repositories.mjs";
import { commit } from "./server.mjs";
import { answer, ask, asking, bar, clipboard, codes, items, rows, sameAnswer } from "./steps.mjs";

async function a_question_is_answered_and_explained(world) {
  const page = await world.page();
  await ask(page);
  const wanted = await sameAnswer(world.server);
  await world.shot(page, "answer", { fullPage: true });
  const summary = page.locator(".summary");
  assert.match(await summary.innerText(), /Bug fix/);
  assert.equal(await summary.locator(".why .tag").count(), wanted.intent.signals.length);
  assert.match(await summary.innerText(), new RegExp(wanted.commit.slice(0, 10)));

  const best = wanted.places[0];
  const row = rows(page).first();
  const shown = await row.innerText();
  assert.ok(shown.includes(best.name) && shown.includes(`${best.path}:${best.start_line}-${best.end_line}`), shown);
  assert.equal(await rows(page).count(), Math.min(wanted.places.length, 10));

  // The signals add up to the score, each with its meaning.
  await bar(row).click();
  const signals = row.locator(".signals button");
  assert.equal(await signals.count(), best.signals.length);
  const values = await signals.locator(".value").allInnerTexts();
  const sum = values.reduce((sum, value) => sum + Number(value.replace("−", "-")), 0);
  assert.ok(Math.abs(sum - best.score) < 0.01 * values.length, `${values} make ${best.score}`);
  for (const text of await signals.locator(".why").allInnerTexts()) assert.ok(text.length > 10 && !/not know/.test(text), text);
  // A clicked signal is highlighted in all rows.
  const segments = row.locator(".track > span");
  await signals.first().click();
  assert.equal(await signals.first().getAttribute("aria-pressed"), "true");
  assert.equal(await row.locator(".track > span.dim").count(), (await segments.count()) - 1);
  assert.ok((await rows(page).nth(1).locator(".track > span.dim").count()) > 0);
  await world.shot(page, "signals");
  await signals.first().click();
  assert.equal(await page.locator(".dim").count(), 0);

  await page.getByText("Files", { exact: false }).and(page.locator(".choice span")).click();
  assert.ok((await rows(page).first().innerText()).includes(wanted.files[0].path));
  await context_is_shown_as_sent(page, wanted);
  const dropped = await page.locator(".dropped").allInnerTexts();
  assert.equal(dropped.length, new Set(wanted.dropped.map((one) => one.reason)).size);
  for (const { reason } of wanted.dropped) assert.ok(dropped.some((text) => text.includes(reason)), reason);
}

async function definitions_of_one_name_are_listed_once(world) {
  const root = mkdtempSync(join(tmpdir(), "foveate-stock-"));
  const property = "    @property\n    def level(self):\n        return 1\n\n    @level.setter\n    def level(self, value):\n        pass\n";
  commit(root, { "stock.py": `class Stock:\n${property}` });
  await world.server.add("acme/stock", { path: root });
  const page = await world.page({ at: asking({ repo: "acme/stock", query: "`Stock.level` is wrong" }) });
  await answer(page).waitFor();
  assert.deepEqual(await page.locator(".resolved").first().locator(".path").allInnerTexts(), ["stock.py:Stock.level"]);
  await fetch(`${world.server.url}/repos/acme%2Fstock`, { method: "DELETE" });
  rmSync(root, { recursive: true });
}

async function context_is_shown_as_sent(page, wanted) {
  const sent = wanted.sections.flatMap((section) => section.items);
  assert.ok(sent.length > 0);
  const heads = await page.locator(".item-head").allInnerTexts();
  assert.equal(heads.length, sent.length);
  sent.forEach((item, at) => {
    assert.ok(heads[at].includes(`${item.tokens} token`) && heads[at].includes(item.reason), heads[at]);
    assert.equal(/\b(cut|folded)\b/.test(heads[at]), item.cut, heads[at]);
  });
  for (const code of await codes(page)) assert.ok(wanted.context.includes(code), code);
  await page.locator(".hl-keyword").first().waitFor();
  await page.getByText("Text", { exact: true }).click();
  assert.equal(await page.locator("pre.whole").textContent(), wanted.context);
}

async function copy_buttons_copy_the_exact_text(world) {
  const page = await world.page({ at: asking() });
  await answer(page).waitFor();
  const wanted = await sameAnswer(world.server);
  await page.getByRole("button", { name: "Copy all of the context" }).click();
  await page.getByText("Copied all of the context").waitFor({ state: "attached" });
  assert.equal(await clipboard(page), wanted.context);
  await items(page).first().getByRole("button", { name: /^Copy / }).click();
  await page.getByText(/^Copied .*lines/).waitFor({ state: "attached" });
  assert.equal(await clipboard(page), (await codes(page))[0]);
}

async function every_format_is_shown_by_item(world) {
  const seen = [];
  for (const format of ["xml", "markdown", "json"]) {
    for (const repo of ["acme/shop", "acme/hostile"]) {
      const parameters = { repo, format, query: "total_price evil_total", budget: "20000", breadth: "wide" };
      const page = await world.page({ at: asking(parameters) });
      await answer(page).waitFor();
      const body = { repo, format, query: parameters.query, budget_tokens: 20000, breadth: "wide" };
      const wanted = await sameAnswer(world.server, body);
      const sent = wanted.sections.flatMap((section) => section.items);
      const bodies = await codes(page);
      assert.equal(await page.getByText("The code is in the text").count(), 0, format);
      assert.equal(await page.locator(".item-head").count(), sent.length, `${format} ${repo}`);
      // JSON has each item alone; the other formats show adjacent lines as one.
      if (format === "json") assert.equal(bodies.length, sent.length, repo);
      seen.push([repo, bodies.join("\n")]);
    }
  }
  // The code is the same in every format.
  for (const repo of ["acme/shop", "acme/hostile"]) {
    const [xml, markdown, json] = seen.filter(([of]) => of === repo).map(([, bodies]) => bodies);
    assert.equal(markdown, xml);
    assert.equal(json, xml);
  }
}

async function question_in_the_url_is_not_logged(world) {
  const page = await world.page();
  const query = `${ISSUE}\nunheard_of_word`;
  await ask(page, { query, budget: 3000 });
  assert.ok(page.url().includes("unheard_of_word") && page.url().includes("#"));
  await page.getByRole("button", { name: "Copy link to this question" }).click();
  await page.getByText("Copied link to this question").waitFor({ state: "attached" });
  const link = await clipboard(page);
  assert.equal(link, page.url());
  const context = await page.locator(".figures").innerText();

  const other = await world.page({ at: new URL(link).hash.slice(1) });
  await answer(other).waitFor();
  assert.equal(await other.getByLabel("Issue, question").inputValue(), query);
  assert.equal(await other.getByLabel("Budget (tokens)").inputValue(), "3000");
  const times = /[\d.]+ ms/;
  assert.equal((await other.locator(".figures").innerText()).replace(times, ""), context.replace(times, ""));
  // Back and forward lead to questions.
  await ask(other, { query: "`in_stock`" });
  await other.getByText("in_stock").first().waitFor();
  await other.goBack();
  await other.waitForFunction(() => document.querySelector("textarea").value.includes("unheard_of_word"));
  for (const { urls } of [page, other]) assert.ok(urls.every((url) => !url.includes("unheard_of_word") || url.includes("#")));
  assert.ok(!world.server.log().includes("unheard_of_word"));
  // Invalid parameters are ignored.
  const odd = await world.page({ at: "budget=-1&breadth=<b>&format=%00&limit=1e9&compare=1&other-budget=x&query=" });
  assert.equal(await odd.getByLabel("Budget (tokens)").inputValue(), "8000");
}

async function two_budgets_and_two_revisions_are_compared(world) {
  const page = await world.page();
  await page.getByText("Compare, format, intent").click();
  await page.getByLabel("Compare with a second answer").check();
  await page.getByLabel("Second budget").fill("300");
  await ask(page, { budget: 8000 });
  await page.locator(".pair").waitFor();
  const [more, less] = [await sameAnswer(world.server), await sameAnswer(world.server, { budget_tokens: 300 })];
  const table = await page.locator(".differences").innerText();
  for (const one of [more, less]) assert.ok(table.includes(`${one.tokens.used} tokens`), table);
  // The budget does not change the ranking, which is shown once.
  assert.equal(await page.locator(".ranking").count(), 1);
  const [a, b] = [page.locator(".pair > section").nth(0), page.locator(".pair > section").nth(1)];
  assert.ok((await a.locator(".item.differs").count()) > 0);
  assert.ok((await a.getByText("only here").count()) > (await b.getByText("only here").count()));
  await world.shot(page, "compare_budgets", { fullPage: true });

  const at = asking({ compare: "1", "other-ref": world.first });
  const revisions = await world.page({ at });
  await revisions.locator(".pair").waitFor();
  assert.equal(await revisions.locator(".ranking").count(), 2);
  assert.ok((await revisions.locator(".differences").innerText()).includes(world.first.slice(0, 10)));
  const places = await revisions.locator(".ranking .mark").allTextContents();
  // The second commit added `rounded`.
  const rounded = revisions.locator(".pair > section").nth(0).locator(".ranking > li", { hasText: "rounded" });
  assert.match(await rounded.first().innerText(), /only here/);
  assert.ok(places.length > 0);
  await world.shot(revisions, "compare_revisions", { fullPage: true });
}

export const ANSWERS = [
  a_question_is_answered_and_explained,
  definitions_of_one_name_are_listed_once,
  copy_buttons_copy_the_exact_text,
  every_format_is_shown_by_item,
  question_in_the_url_is_not_logged,
  two_budgets_and_two_revisions_are_compared,
];
