import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, linkFor, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import {
  type DashboardApp,
  lookAt,
  lookNames,
  openDashboard,
  openDashboardApp,
  wrongWith,
} from "../../testkit/dashboard.ts";

const browser = await openBrowser();

describe.skipIf(browser === null)("the dashboard's frame", () => {
  let t: DashboardApp;
  let store: TestStore;
  let owner: Browser;
  beforeAll(async () => {
    t = await openDashboardApp();
    store = await t.store();
    owner = await signedIn(t, "owner@shop.example", { store, role: "owner" });
  }, 120_000);
  afterAll(() => t?.close());

  it("signs in by a link's button, and not by its being opened [dashboard.link-click]", async () => {
    const token = await linkFor(t, "owner@shop.example");
    for (let n = 0; n < 2; n += 1) {
      const on = await openDashboard(t);
      await on.open(`/link/${token}`);
      expect(await on.page.getByText("owner@shop.example").count()).toBe(1);
      await on.close();
    }
    const on = await openDashboard(t);
    await on.open(`/link/${token}`);
    await on.page.getByRole("button", { name: "Sign in" }).click();
    await on.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(on.page.url()).toBe(`${t.url}/dashboard`);
    expect(on.faults).toEqual([]);
    await on.open(`/link/${token}`);
    await on.page.getByRole("heading", { name: "This link is used or expired" }).waitFor();
    await on.open(`/link/${"a".repeat(43)}`);
    await on.page.getByRole("heading", { name: "There is no such link" }).waitFor();
    await on.close();
  });

  it("takes the focus to each screen's heading, and names it in the title [dashboard.focus]", async () => {
    const on = await openDashboard(t, owner);
    await on.open("/");
    expect(await on.page.title()).toBe("Home · Quiz Store");
    await on.page.getByRole("link", { name: "Exports" }).click();
    const heading = on.page.getByRole("heading", { level: 1, name: "Exports" });
    await heading.waitFor();
    await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await on.page.title()).toBe("Exports · Quiz Store");
    await on.page.goBack();
    await on.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await expect.poll(() => on.page.title()).toBe("Home · Quiz Store");
    expect(on.faults).toEqual([]);
    await on.close();
  });

  for (const look of lookNames) {
    it(`has nothing that axe finds, and no rule of its page is broken: ${look} [dashboard.accessible, dashboard.page-rules]`, async () => {
      expect(wrongWith(await lookAt(t, owner, look, ["/", "/nowhere/at/all"]))).toEqual([]);
      const token = await linkFor(t, "owner@shop.example");
      expect(wrongWith(await lookAt(t, undefined, look, ["/sign-in", `/link/${token}`, "/link/none"]))).toEqual([]);
    });
  }
});
