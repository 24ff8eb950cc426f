import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, openDashboard } from "../../testkit/dashboard.ts";
import { openScreens, password, type Screens, sentTo, soon } from "../../testkit/dashboard-screens.ts";

const minutes = 60_000;

describe.skipIf(!(await openBrowser()))("API keys", () => {
  let screens: Screens;
  let owner: Browser;
  beforeAll(async () => {
    screens = await openScreens();
    owner = await screens.member("owner");
  });
  afterAll(() => screens?.close());

  const on = async (as: Browser, at: string, work: (opened: DashboardPage) => Promise<void>) => {
    const opened = await openDashboard(screens.t, as);
    await opened.open(at);
    await work(opened);
    expect(opened.faults).toEqual([]);
    await opened.close();
  };
  const callWith = (key: string, path: string) => screens.t.request("GET", path, { key });

  it("are made by clicks, shown once, and work; a revoked one is refused [dashboard-developers.key-once, dashboard-developers.revoke]", () =>
    on(owner, "/developers/keys", async ({ page }) => {
      const sent = sentTo(page, "/keys");
      screens.t.calendar.advance(11 * minutes);
      await page.getByRole("button", { name: "New key…" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New API key" });
      expect(await dialog.getByRole("button", { name: "Make the key" }).isDisabled()).toBe(true);
      await dialog.getByLabel("Name").fill("Warehouse");
      await dialog.getByLabel("profiles:read", { exact: true }).check();
      await dialog.getByLabel("analytics:read", { exact: true }).uncheck();
      await dialog.getByLabel("Expires").selectOption("Never");
      await dialog.getByRole("button", { name: "Make the key" }).click();
      await page.getByRole("textbox", { name: "Password" }).fill(password);
      await page.getByRole("button", { name: "Confirm" }).click();
      const key = (await dialog.getByLabel("The new key").innerText()).trim();
      expect(sent.at(-1)).toEqual({
        name: "Warehouse",
        scopes: ["quizzes:read", "profiles:read"],
        expires_at: null,
        test: false,
      });
      expect((await callWith(key, "/v1/quizzes")).status).toBe(200);
      expect((await callWith(key, "/v1/webhooks")).status).toBe(403);
      await dialog.getByRole("button", { name: "I have copied it" }).click();
      const row = page.getByRole("row").filter({ hasText: "Warehouse" });
      await row.getByText("Active").waitFor();
      expect(await page.content()).not.toContain(key);
      expect(await row.innerText()).toContain(`${key.slice(-4)}`);
      await page.reload();
      await expect.poll(() => row.innerText(), soon).toMatch(/now|ago|minute/);
      await row.getByRole("button", { name: "Revoke…" }).click();
      const question = page.getByRole("dialog", { name: "Revoke this key?" });
      expect(await question.innerText()).toContain("Warehouse");
      await question.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("The key was revoked.").waitFor();
      screens.t.passTime(130_000);
      await expect.poll(async () => (await callWith(key, "/v1/quizzes")).status, soon).toBe(401);
      await page.getByLabel(/^Show revoked and expired keys/).check();
      await row.getByText("Revoked").waitFor();
      expect(await row.getByRole("button").count()).toBe(0);
    }));

  it("of the test twin are made by a choice that says what they open, and told apart in the list [dashboard-developers.test-keys]", async () =>
    on(await screens.member("owner"), "/developers/keys", async ({ page, violations }) => {
      await page.getByRole("button", { name: "New key…" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New API key" });
      await dialog.getByLabel("Name").fill("Trials");
      await dialog.getByLabel("Test key").check();
      expect(await dialog.innerText()).toContain("Nothing that is done with it reaches the shop");
      await dialog.getByRole("button", { name: "Make the key" }).click();
      const key = (await dialog.getByLabel("The new key").innerText()).trim();
      expect(key).toMatch(/^svc_test_/);
      expect(await dialog.getByLabel("A first call with it").innerText()).toContain("/v1/test/clock");
      const clock = await callWith(key, "/v1/test/clock");
      expect([clock.status, clock.body.shop_domain.startsWith("test.")]).toEqual([200, true]);
      await dialog.getByRole("button", { name: "I have copied it" }).click();
      const row = page.getByRole("row").filter({ hasText: "Trials" });
      await row.getByText("Test key").waitFor();
      expect(await page.getByText("Test key", { exact: true }).count()).toBe(1);
      expect(await violations()).toEqual([]);
    }));

  it("keep what was typed of a new one over a reload, until it is made or given up [dashboard.kept-forms]", async () => {
    await on(await screens.member("owner"), "/developers/keys", async ({ page }) => {
      const begin = () => page.getByRole("button", { name: "New key…" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New API key" });
      const name = dialog.getByLabel("Name");
      await begin();
      await name.fill("Half a name");
      await dialog.getByLabel("profiles:read", { exact: true }).check();
      await page.reload();
      await begin();
      expect(await name.inputValue()).toBe("Half a name");
      expect(await dialog.getByLabel("profiles:read", { exact: true }).isChecked()).toBe(true);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await begin();
      expect(await name.inputValue()).toBe("");
      await name.fill("Whole");
      await dialog.getByRole("button", { name: "Make the key" }).click();
      await dialog.getByRole("button", { name: "I have copied it" }).click();
      await begin();
      expect(await name.inputValue()).toBe("");
      expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
        "svc_live_",
      );
    });
  });

  it("are shown in a store that had none, where the list changes behind them [dashboard-developers.key-once]", async () => {
    const store = await screens.t.store();
    const first = await signedIn(screens.t, "first@people.example", { store, role: "owner" });
    await on(first, "/developers/keys", async ({ page }) => {
      await page.getByRole("button", { name: "Revoke…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("No key is in use").waitFor();
      await page.getByRole("button", { name: "New key…" }).last().click();
      const dialog = page.getByRole("dialog", { name: "New API key" });
      await dialog.getByLabel("Name").fill("First");
      await dialog.getByRole("button", { name: "Make the key" }).click();
      await page.getByRole("cell", { name: "Active", includeHidden: true }).waitFor();
      await dialog.getByLabel("The new key").waitFor();
    });
  });

  it("are shown though the form was closed meanwhile, and no key press takes them away [dashboard-developers.key-once]", async () => {
    await on(await screens.member("owner"), "/developers/keys", async ({ page }) => {
      const dialog = page.getByRole("dialog", { name: "New API key" });
      const asked = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      await page.route("**/dashboard/api/keys", async (route) => {
        if (route.request().method() !== "POST") return route.fallback();
        asked.resolve();
        await release.promise;
        await route.fallback();
      });
      await page.getByRole("button", { name: "New key…" }).first().click();
      await dialog.getByLabel("Name").fill("Slow");
      await dialog.getByRole("button", { name: "Make the key" }).click();
      await asked.promise;
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      release.resolve();
      await dialog.getByLabel("The new key").waitFor();
      await page.keyboard.press("Escape");
      const key = (await dialog.getByLabel("The new key").innerText()).trim();
      expect((await callWith(key, "/v1/store")).status).toBe(200);
      await dialog.getByRole("button", { name: "I have copied it" }).click();
      await dialog.waitFor({ state: "hidden" });
      await page.unrouteAll({ behavior: "wait" });
    });
  });

  it("are the owner's: others see neither keys nor a button [dashboard-developers.roles]", async () => {
    await on(await screens.member("editor"), "/developers/keys", async ({ page }) => {
      await page.waitForURL(/\/developers\/webhooks/);
      await page.getByRole("button", { name: "Add an endpoint…" }).waitFor();
      expect(await page.getByRole("link", { name: "API keys" }).count()).toBe(0);
    });
    await on(await screens.member("analyst"), "/developers/keys", async ({ page }) => {
      await page.getByText("Keys are made by owners").waitFor();
      expect(await page.getByRole("button", { name: "New key…" }).count()).toBe(0);
      expect(await page.getByRole("link", { name: "API keys" }).count()).toBe(0);
    });
    await on(await screens.member("analyst"), "/developers/webhooks", async ({ page }) => {
      await page.getByText("Webhooks are for editors and owners").waitFor();
      expect(await page.getByRole("button", { name: "Add an endpoint…" }).count()).toBe(0);
    });
  });
});
