import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, invitedBy, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";

const browser = await openBrowser();

describe.skipIf(browser === null)("stores that are not one's own", () => {
  let t: DashboardApp;
  let first: TestStore;
  let operator: Browser;
  beforeAll(async () => {
    t = await openDashboardApp();
    first = await t.store();
    await t.store();
    operator = await signedIn(t, "operator@host.example", { operator: true, password: "a long pass phrase" });
  }, 120_000);
  afterAll(() => t?.close());

  it("are looked at by an operator who says why, is told so on each screen, and leaves [dashboard-api.support]", async () => {
    const on = await openDashboard(t, operator);
    const { page } = on;
    await on.open("/operator");
    await page.getByRole("button", { name: "What to do with Shop 1" }).click();
    await page.getByRole("menuitem", { name: "Sign in as support" }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("The owner asked why orders are missing");
    await page.getByRole("dialog").getByRole("button", { name: "Sign in as support" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.getByText("You are here as support until").waitFor();
    expect(page.url()).toContain(`store=${first.id}`);
    await on.settled();
    expect(await on.violations()).toEqual([]);
    await on.open(`/settings/audit?store=${first.id}`);
    await page.getByText("Signed in as support").first().waitFor();
    await on.open("/operator");
    await page.getByRole("button", { name: "What to do with Shop 1" }).click();
    await page.getByRole("menuitem", { name: "Leave as support" }).click();
    await page.getByText("You are support").waitFor({ state: "detached" });
    await on.open(`/quizzes?store=${first.id}`);
    await page.getByText("Sign in to it as support first").waitFor();
    await page.getByRole("link", { name: "To all stores" }).click();
    await page.getByRole("heading", { level: 1, name: "Stores" }).waitFor();
    expect(on.faults).toEqual([]);
    await on.close();
  }, 90_000);

  it("are found by the id of a thing that an address names without its store [dashboard.store]", async () => {
    const [one, other] = [await t.store(), await t.store()];
    const owner = await signedIn(t, "both@shop.example", { store: one, role: "owner", password: "a long pass phrase" });
    const token = await invitedBy(t, "both@shop.example", { store: other, role: "owner" });
    await owner.request("POST", "/links/use", { body: { token } });
    const quiz = await makeQuiz(t, other, { name: "Of the other store", publish: true });
    const on = await openDashboard(t, owner);
    await on.open(`/quizzes/${quiz.id}`);
    await on.page.getByRole("heading", { level: 1, name: "Of the other store" }).waitFor();
    expect(on.page.url()).toContain(`store=${other.id}`);
    expect(on.faults).toEqual([]);
    await on.close();
  }, 90_000);
});
