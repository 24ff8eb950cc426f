import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Role, roles } from "../../contract/roles.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { swept } from "../../testkit/sweeps.ts";

/** Every screen, opened by its address by each role: what a role may not do is absent, and is not even asked for. */

const browser = await openBrowser();

interface ScreenOf {
  path: string;
  /** who has something to do or see there; everybody, if left out */
  least?: Role;
  /** what it is called for others, where they are told that it is not theirs */
  forOthers?: string | RegExp;
}

describe.skipIf(browser === null)("what a role may not do", () => {
  let t: DashboardApp;
  let store: TestStore;
  let quizId: string;
  const people = new Map<string, Browser>();
  beforeAll(async () => {
    t = await openDashboardApp();
    store = await t.store();
    quizId = (await makeQuiz(t, store, { name: "Which tea", publish: true })).id;
    for (const role of roles) people.set(role, await signedIn(t, `${role}@shop.example`, { store, role }));
    people.set("operator", await signedIn(t, "operator@host.example", { operator: true }));
  }, 120_000);
  afterAll(() => t?.close());

  const screens = (): ScreenOf[] => [
    ...["/", "/quizzes", "/analytics", "/exports", "/settings/store", "/settings/plan", "/account"].map((path) => ({
      path,
    })),
    { path: `/quizzes/${quizId}` },
    { path: `/quizzes/${quizId}/edit`, least: "editor", forOthers: "Quizzes are edited by editors and owners" },
    { path: "/quizzes/new", least: "editor", forOthers: "Quizzes are made by editors and owners" },
    { path: "/profiles", least: "owner", forOthers: "People are shown to owners" },
    { path: "/profiles/search", least: "owner", forOthers: "People are shown to owners" },
    { path: "/developers", least: "editor", forOthers: /owners/ },
    { path: "/developers/webhooks", least: "editor", forOthers: /editors and owners/ },
    { path: "/developers/events", least: "editor", forOthers: "Events are for editors and owners" },
    ...["commerce", "people", "audit", "data-requests"].map(
      (name): ScreenOf => ({ path: `/settings/${name}`, least: "owner", forOthers: "This is for owners" }),
    ),
  ];

  it.each(swept(roles, ["analyst"]))(
    "is absent for the %s, and asked of no operation [dashboard.roles]",
    async (role) => {
      const on = await openDashboard(t, people.get(role));
      const refused: string[] = [];
      on.page.on("response", (response) => {
        if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
      });
      for (const { path, least = "analyst", forOthers = "" } of screens()) {
        await on.open(path);
        const may = roles.indexOf(role) >= roles.indexOf(least);
        if (!may) await on.page.locator("main").getByText(forOthers).first().waitFor();
        expect([path, await on.page.getByRole("alert").count()]).toEqual([path, 0]);
        const links = on.page.locator(`a[href*="/edit"], a[href*="/quizzes/new"]`);
        if (role === "analyst") expect([path, await links.count()]).toEqual([path, 0]);
      }
      expect(refused).toEqual([]);
      expect(on.faults).toEqual([]);
      await on.close();
    },
    120_000,
  );

  it("leads an operator without a store to all stores [dashboard.roles]", async () => {
    const on = await openDashboard(t, people.get("operator"));
    await on.open("/");
    await on.page.getByRole("heading", { level: 1, name: "Stores" }).waitFor();
    await on.open("/quizzes");
    await on.page.getByText("Choose a store and sign in to it as support").waitFor();
    expect(on.faults).toEqual([]);
    await on.close();
  });
});
