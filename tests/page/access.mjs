// Tests a server that requires a token.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ISSUE, shop } from "./repositories.mjs";
import { Server, TIMEOUT } from "./server.mjs";
import { answer, asking, submit } from "./steps.mjs";

async function with_access(world, check) {
  const server = await Server.start(world.foveate);
  try {
    const root = join(server.data, "shop");
    shop(root);
    await server.add("acme/shop", { path: root });
    const key = ["key", "create", "--scope", "read", "--data-dir", join(server.data, "data")];
    const token = execFileSync(world.foveate, key, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    const end = Date.now() + TIMEOUT;
    while ((await server.call("/repos")).code !== "missing_token" && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await check(server, token);
  } finally {
    await server.remove();
  }
}

async function token_is_requested_and_kept_for_its_tab(world) {
  await with_access(world, async (server, token) => {
    // A question in the URL waits for the token.
    const page = await world.page({ server, at: asking() });
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.innerText(), /This server needs a token/);
    await world.shot(page, "needs_token");
    const enter = async (value) => {
      await page.getByRole("button", { name: "Enter a token" }).click();
      const field = page.getByLabel("Token", { exact: true });
      assert.equal(await field.getAttribute("type"), "password");
      await field.fill(value);
      await page.keyboard.press("Enter");
    };
    await enter("fov_wrong");
    await page.getByText("The token is not accepted").waitFor();
    await enter(token);
    await answer(page).waitFor();
    await page.getByLabel("Issue, question").fill(`${ISSUE} again`);
    await submit(page).click();
    await page.waitForFunction(() => location.hash.includes("again"));

    assert.ok(page.urls.every((url) => !url.includes(token)) && !page.url().includes(token));
    const kept = await page.evaluate(() => [{ ...localStorage }, document.cookie, Object.values({ ...sessionStorage })]);
    assert.deepEqual(kept, [{}, "", [token]]);
    assert.ok(!(await page.content()).includes(token));
    await page.reload();
    await answer(page).waitFor();
    // Another tab has none.
    const other = await world.page({ server });
    await other.getByText("This server needs a token").waitFor();

    await page.getByRole("button", { name: "Token", exact: true }).click();
    await page.getByRole("button", { name: "Forget the token" }).click();
    await page.reload();
    await page.getByText("This server needs a token").waitFor();
    assert.deepEqual(await page.evaluate(() => ({ ...sessionStorage })), {});
  });
}

export const ACCESS = [token_is_requested_and_kept_for_its_tab];
