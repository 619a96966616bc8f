// Tests accessibility: keyboard, screen readers, dark mode, small screens.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HOSTILE_QUERY, ISSUE } from "./repositories.mjs";
import { answer, asking, bar, overflow, rows, submit } from "./steps.mjs";

/** The views of the page, each with its fragment and a wait until it is ready. */
const VIEWS = {
  empty: { at: "", ready: (page) => page.getByText("Which code must the reader see?").waitFor() },
  answer: { at: asking(), ready: opened },
  hostile: { at: asking({ repo: "acme/hostile", query: HOSTILE_QUERY, breadth: "wide" }), ready: opened },
  compare: { at: asking({ compare: "1", "other-budget": "400" }), ready: (page) => page.locator(".pair").waitFor() },
  problem: { at: asking({ ref: "nowhere" }), ready: (page) => page.getByRole("alert").waitFor() },
  repositories: { at: "repositories", ready: (page) => page.getByText("acme/shop").first().waitFor() },
};

/** Waits for the answer, then opens the signals of the first place and all lists of omitted code. */
async function opened(page) {
  await answer(page).waitFor();
  await bar(rows(page).first()).click();
  await page.locator(".signals button").first().click();
  await page.locator("details.dropped").evaluateAll((all) => all.forEach((one) => (one.open = true)));
}

async function no_view_has_accessibility_violations(world) {
  const axe = readFileSync(join(world.modules, "axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, view] of Object.entries(VIEWS)) {
      const page = await world.page({ at: view.at, colorScheme });
      await view.ready(page);
      const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(dark === "rgb(255, 255, 255)", colorScheme === "light", dark);
      await world.shot(page, `${name}_${colorScheme}`, { fullPage: name !== "hostile" });
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => window.axe.run());
      const told = violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => [node.target, node.failureSummary])]);
      assert.deepEqual(told, [], `${name}, ${colorScheme}: ${JSON.stringify(told, null, 1)}`);
      assert.ok(passes.length > 10);
    }
  }
}

async function small_screens_do_not_scroll_sideways(world) {
  for (const width of [320, 768]) {
    for (const [name, view] of Object.entries(VIEWS)) {
      const page = await world.page({ at: view.at, viewport: { width, height: 640 } });
      await view.ready(page);
      assert.equal(await overflow(page), 0, `${name}, ${width} px`);
      if (width === 320) await world.shot(page, `${name}_320`);
      // Wider elements scroll on their own, and no control is cut off.
      const cut = await page.locator("button:visible, input:visible, select:visible, textarea:visible").evaluateAll((all) =>
        all
          .filter((one) => !one.closest("pre, .choice, .hidden") && one.getBoundingClientRect().right > innerWidth + 1)
          .map((one) => one.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(cut, [], `${name}, ${width} px`);
    }
  }
}

const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");

async function tab_to(page, wanted) {
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press("Tab");
    const text = await focused(page);
    const outline = await page.evaluate(() => {
      const at = document.activeElement;
      const shown = at?.matches(".choice input") ? at.nextElementSibling : at;
      return shown === null ? "" : getComputedStyle(shown).outlineStyle;
    });
    assert.notEqual(outline, "none", `the focus on ${text.slice(0, 60)} is seen`);
    if (wanted.test(text)) return;
  }
  throw new Error(`no ${wanted} is reached by Tab`);
}

async function page_is_usable_by_keyboard_alone(world) {
  const page = await world.page();
  await page.locator("option", { hasText: "acme/shop" }).waitFor({ state: "attached" });
  await tab_to(page, /Skip to the answer/);
  await page.getByLabel("Repository").focus();
  await page.keyboard.type("acme/shop");
  await page.keyboard.press("Tab");
  await page.keyboard.insertText(ISSUE);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("3000");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Control+Enter");
  await answer(page).waitFor();
  assert.match(page.url(), /budget=3000&breadth=wide/);
  assert.match(await page.locator("#announced").textContent(), /^Answer: \d+ places? ranked/);
  // To the answer, then to its first bar, which opens and closes.
  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "answer");
  await tab_to(page, /^Signals of/);
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("[aria-expanded=true]").count(), 1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  assert.equal(await page.locator("[aria-pressed=true]").count(), 1);
  await tab_to(page, /^Copy all of the context$/);
  await page.keyboard.press("Enter");
  await page.getByText("Copied all of the context").waitFor({ state: "attached" });
  // Code that is wider than its box can be scrolled.
  await tab_to(page, /^Code of /);
}

async function structure_is_exposed_to_screen_readers(world) {
  const page = await world.page({ at: asking() });
  await answer(page).waitFor();
  for (const role of ["banner", "navigation", "main"]) assert.equal(await page.getByRole(role).count(), 1, role);
  for (const name of ["Names in the issue", "Ranking", "Context", "Left out"]) {
    assert.equal(await page.getByRole("region", { name, exact: true }).count(), 1, name);
  }
  const levels = await page.locator("h1, h2, h3, h4, h5").evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
  levels.reduce((before, level) => (assert.ok(level <= before + 1, `${levels}`), level), 0);
  assert.equal(await page.locator("[role=status][aria-live=polite]").count(), 1);
  assert.equal(await page.locator("html[lang=en]").count(), 1);
  await submit(page).focus();
  assert.ok((await page.getByRole("button", { name: /^Signals of .*: score/ }).count()) > 0);
}

export const ACCESSIBILITY = [
  no_view_has_accessibility_violations,
  small_screens_do_not_scroll_sideways,
  page_is_usable_by_keyboard_alone,
  structure_is_exposed_to_screen_readers,
];
