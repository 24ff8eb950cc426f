import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";

const browser = await openBrowser();
const email = "operator@host.example";
const password = "a long pass phrase";

describe.skipIf(browser === null)("an operator", () => {
  let t: DashboardApp;
  let operator: Browser;
  beforeAll(async () => {
    t = await openDashboardApp();
    await signedIn(t, email, { operator: true, password });
  }, 120_000);
  afterAll(() => t?.close());
  beforeEach(async () => {
    t.passTime(60_000);
    operator = await signedIn(t, email);
  });

  it("makes a store, is told what is wrong with it, and is shown its secret until it is put away [dashboard-api.operator, dashboard.problems]", async () => {
    const on = await openDashboard(t, operator);
    const { page } = on;
    await on.open("/operator");
    await page.getByText("No store yet").waitFor();
    await page.getByRole("button", { name: "New store" }).click();
    const form = page.getByRole("dialog", { name: "New store" });
    await form.getByLabel("Name").fill("  Lumen & Fern  ");
    await form.getByLabel("Domain of the shop").fill("no domain");
    await form.getByLabel("Currency").fill("eur");
    await form.getByRole("button", { name: "Make the store" }).click();
    await form.getByRole("alert").waitFor();
    expect(await form.getByLabel("Name").inputValue()).toBe("  Lumen & Fern  ");
    expect(await on.violations()).toEqual([]);
    await form.getByLabel("Domain of the shop").fill("Lumen.example.com");
    await form.getByRole("button", { name: "Make the store" }).click();
    const made = page.getByRole("dialog", { name: "The store is made" });
    const secret = made.getByText(/^[0-9a-f]{64}$/);
    await secret.waitFor();
    expect(await on.violations()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    expect(await secret.isVisible()).toBe(true);
    const [, id = ""] = /--store (store_[0-9a-f]{32}) --role owner/.exec((await made.textContent()) ?? "") ?? [];
    await made.getByRole("button", { name: "Done" }).click();
    await made.waitFor({ state: "detached" });
    const row = page.getByRole("row", { name: /Lumen & Fern/ });
    await expect.poll(() => row.textContent()).toContain(`lumen.example.com${id}`);
    const [stored] = (await operator.request("GET", "/operator/stores")).body.data;
    expect(stored).toMatchObject({ id, name: "Lumen & Fern", currency: "EUR", plan: "plus" });
    await page.getByRole("button", { name: "New store" }).click();
    expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("");
    expect(on.faults).toEqual([]);
    await on.close();
  }, 90_000);

  it("is told of a shop that has a store already [dashboard-api.operator, dashboard.problems]", async () => {
    await t.store();
    const [{ shop_domain: taken }] = (await operator.request("GET", "/operator/stores")).body.data;
    const on = await openDashboard(t, operator);
    await on.open("/operator");
    await on.page.getByRole("button", { name: "New store" }).click();
    const form = on.page.getByRole("dialog", { name: "New store" });
    await form.getByLabel("Name").fill("Another");
    await form.getByLabel("Domain of the shop").fill(taken);
    await form.getByRole("button", { name: "Make the store" }).click();
    await expect.poll(() => form.getByRole("alert").textContent()).toContain(taken);
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);

  it("disconnects a store after typing its name and the password, and connects it again [dashboard-api.operator, dashboard.confirm]", async () => {
    const store = await t.store();
    const [{ name }] = (await operator.request("GET", `/operator/stores?q=${store.id}`)).body.data;
    const on = await openDashboard(t, operator);
    const { page } = on;
    await on.open(`/operator?q=${store.id}`);
    const choose = async (entry: string) => {
      await page.getByRole("button", { name: `What to do with ${name}` }).click();
      await page.getByRole("menuitem", { name: entry }).click();
    };
    const isConnected = async () => (await t.request("GET", "/v1/store", { key: store.key })).status === 200;
    t.calendar.advance(11 * 60_000);

    await choose("Disconnect");
    const asked = page.getByRole("dialog", { name: "Disconnect the store?" });
    await asked.getByText("Every API key of").waitFor();
    const button = asked.getByRole("button", { name: "Disconnect" });
    expect(await button.isDisabled()).toBe(true);
    await asked.getByLabel(`Type ${name} to confirm`).fill(name.slice(0, -1));
    expect(await button.isDisabled()).toBe(true);
    await asked.getByRole("button", { name: "Cancel" }).click();
    await asked.waitFor({ state: "detached" });
    expect(await isConnected()).toBe(true);

    await choose("Disconnect");
    await asked.getByLabel(`Type ${name} to confirm`).fill(name);
    await button.click();
    const again = page.getByRole("dialog", { name: "Please confirm that it is you" });
    await again.getByLabel("Password", { exact: true }).fill(password);
    await again.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Disconnected", { exact: true }).waitFor();
    t.passTime(60_000);
    expect(await isConnected()).toBe(false);

    await page.getByRole("button", { name: `What to do with ${name}` }).click();
    expect(await page.getByRole("menuitem", { name: "Sign in as support" }).isDisabled()).toBe(true);
    await page.getByRole("menuitem", { name: "Connect again" }).click();
    await page.getByText("The store is connected again").waitFor();
    await page.getByText("Disconnected", { exact: true }).waitFor({ state: "detached" });
    expect(on.faults).toEqual([]);
    await on.close();
  }, 90_000);
});
