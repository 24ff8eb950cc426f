import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { postWebhook } from "../../testkit/commerce.ts";
import {
  type DashboardApp,
  lookAt,
  lookNames,
  looks,
  openDashboard,
  openDashboardApp,
  wrongWith,
} from "../../testkit/dashboard.ts";
import { swept } from "../../testkit/sweeps.ts";

const browser = await openBrowser();
const tabs = ["store", "commerce", "data-requests", "people", "audit", "plan"];

describe.skipIf(browser === null)("settings, my account and the operator's screen", () => {
  let t: DashboardApp;
  let store: TestStore;
  let owner: Browser;
  let operator: Browser;
  beforeAll(async () => {
    t = await openDashboardApp();
    store = await t.store();
    await t.store();
    const password = "a long pass phrase";
    owner = await signedIn(t, "owner@shop.example", { store, role: "owner", password });
    operator = await signedIn(t, "operator@host.example", { operator: true, password });
    const customer = { id: 1, email: "asks@example.com", phone: null };
    await postWebhook(t, store, { topic: "customers/data_request", payload: { customer } });
    await signedIn(t, `${"n".repeat(60)}@shop.example`, { store, role: "editor" });
    await owner.request("PATCH", "/me", { body: { name: "שם ארוך ".repeat(25).trim() } });
    await owner.request("POST", "/invitations", { store, body: { email: "new@shop.example", role: "analyst" } });
  }, 120_000);
  afterAll(() => t?.close());

  const beginAuthenticator = {
    path: "/account",
    act: async ({ page }: { page: import("playwright-core").Page }) => {
      await page.getByRole("button", { name: "Set up" }).click();
      await page.getByRole("img", { name: /QR code/ }).waitFor();
    },
  };
  const openStoreMenu = {
    path: "/operator",
    act: async ({ page }: { page: import("playwright-core").Page }) => {
      await page.getByRole("button", { name: "What to do with Shop 1" }).click();
      await page.getByRole("menuitem", { name: "Plan, zone and limits" }).click();
      await page.getByRole("dialog").getByLabel("Webhook endpoints").waitFor();
      await page.getByRole("menu").waitFor({ state: "detached" });
    },
  };

  for (const look of swept(lookNames, ["phone"])) {
    it(`have nothing that axe finds: ${look} [dashboard.accessible]`, async () => {
      const screens = [...tabs.map((tab) => `/settings/${tab}`), "/account", beginAuthenticator];
      expect(wrongWith(await lookAt(t, owner, look, screens))).toEqual([]);
      expect(wrongWith(await lookAt(t, operator, look, ["/operator", openStoreMenu]))).toEqual([]);
    });
  }

  it("name what is destroyed before it is [dashboard.confirm]", async () => {
    const on = await openDashboard(t, owner);
    await on.open("/settings/people");
    await on.page.getByRole("button", { name: /^Remove n+@shop.example/ }).click();
    const dialog = on.page.getByRole("dialog");
    await expect.poll(() => dialog.textContent()).toContain("n".repeat(60));
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => on.page.getByRole("button", { name: /^Remove n+@/ }).count()).toBe(0);
    expect(on.faults).toEqual([]);
    await on.close();
  });

  it("offer an only owner neither another role nor to leave [accounts.members]", async () => {
    const on = await openDashboard(t, owner);
    await on.open("/settings/people");
    await on.page.getByText("The only owner stays").waitFor();
    expect(await on.page.getByRole("combobox", { name: "Role of owner@shop.example" }).isDisabled()).toBe(true);
    expect(await on.page.getByRole("button", { name: "Remove owner@shop.example" }).count()).toBe(0);
    await on.close();
  });

  it("have tables that are read as such, and are cards on a phone [dashboard.tables]", async () => {
    for (const look of ["desktop", "phone"] as const) {
      const on = await openDashboard(t, owner, looks[look].options);
      await on.open("/settings/people");
      const box = on.page.getByRole("region", { name: "Team" });
      const row = box.locator("tbody tr").first();
      await row.waitFor();
      expect(await box.locator("thead th[scope=col]").allTextContents()).toContain("Role");
      expect(await row.locator("th[scope=row]").count()).toBe(1);
      expect([look, await row.evaluate((element) => getComputedStyle(element).display)]).toEqual([
        look,
        look === "phone" ? "block" : "table-row",
      ]);
      await on.close();
    }
  });

  it("hand out what a customer asked for, and close the request [dashboard-api.data-requests]", async () => {
    const on = await openDashboard(t, owner);
    await on.open("/");
    await on.page.getByRole("link", { name: /waits for an answer/ }).click();
    const row = on.page.getByRole("region", { name: "Data requests, newest first" }).locator("tbody tr");
    const saving = on.page.waitForEvent("download");
    await row.getByRole("button", { name: /^Download the data/ }).click();
    const { asked_for } = JSON.parse(await readFile(await (await saving).path(), "utf8"));
    expect(asked_for.emails).toEqual(["asks@example.com"]);
    await row.getByRole("button", { name: /^Mark as answered/ }).click();
    await on.page.getByRole("dialog").getByRole("button", { name: "Mark as answered" }).click();
    await row.getByText(/^Answered/).waitFor();
    expect(await row.getByRole("button").count()).toBe(0);
    expect(on.faults).toEqual([]);
    await on.close();
  });

  it("ask for the password again where the API wants it, and go on [dashboard.confirm]", async () => {
    t.calendar.advance(11 * 60_000);
    t.passTime(60_000);
    const on = await openDashboard(t, owner);
    await on.open("/settings/commerce");
    await on.page.getByRole("button", { name: "Make a new secret" }).click();
    await on.page.getByRole("dialog").getByRole("button", { name: "Make a new secret" }).click();
    const again = on.page.getByRole("dialog", { name: "Please confirm that it is you" });
    await again.getByLabel("Password", { exact: true }).fill("not the password");
    await again.getByRole("button", { name: "Confirm" }).click();
    await again.getByRole("alert").waitFor();
    await again.getByLabel("Password", { exact: true }).fill("a long pass phrase");
    await again.getByRole("button", { name: "Confirm" }).click();
    await on.page.getByText("The new secret, shown now and never again").waitFor();
    expect(on.faults).toEqual([]);
    await on.close();
  });
});
