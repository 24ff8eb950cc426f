import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, invitedBy, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, type DashboardPage, lookAt, openDashboardApp, wrongWith } from "../../testkit/dashboard.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";

const browser = await openBrowser();
const password = "a long pass phrase";

/** As long as names may be: one word from left to right, and words from right to left with digits and brackets. */
const names = {
  "one word": "Schönheitsgeschäft".repeat(12).slice(0, 200),
  "right to left": "متجر الشاي (رقم 12) והקפה של העיר ".repeat(7).slice(0, 200).trim(),
};
const longEmail = `${"n".repeat(64)}@${"d".repeat(60)}.${"e".repeat(60)}.${"f".repeat(50)}.example`;

describe.skipIf(browser === null)("names of 200 characters on a phone", () => {
  let t: DashboardApp;
  let store: TestStore;
  let owner: Browser;
  let operator: Browser;
  beforeAll(async () => {
    t = await openDashboardApp();
    [store] = [await t.store(), await t.store()];
    owner = await signedIn(t, "owner@shop.example", { store, role: "owner", password });
    operator = await signedIn(t, "operator@host.example", { operator: true, password });
    await signedIn(t, longEmail, { store, role: "editor", password });
    await owner.request("POST", "/invitations", { store, body: { email: `m${longEmail.slice(1)}`, role: "analyst" } });
  }, 120_000);
  afterAll(() => t?.close());

  const press = (name: string | RegExp) => async (on: DashboardPage) => {
    await on.page.getByRole("button", { name }).first().click();
    await on.page.locator("[role=dialog],[role=menu]").first().waitFor();
  };
  const choose = (entry: string) => async (on: DashboardPage) => {
    await press(/^What to do with/)(on);
    await on.page.getByRole("menuitem", { name: entry }).click();
    await on.page.getByRole("dialog").waitFor();
    await on.page.getByRole("menu").waitFor({ state: "detached" });
  };
  const goTo = async (on: DashboardPage) => {
    await on.page.keyboard.press("Control+k");
    await on.page.getByRole("dialog").getByText("New quiz").waitFor();
  };

  for (const [kind, name] of Object.entries(names)) {
    it(`make no screen, dialog or menu wider than its room: ${kind} [dashboard.accessible]`, async () => {
      await owner.request("PATCH", "/me", { body: { name } });
      await owner.request("PATCH", "/settings", { store, body: { name } });
      await owner.request("POST", "/keys", { store, body: { name, scopes: ["quizzes:read"] } });
      await makeQuiz(t, store, { name });
      const screens = ["store", "commerce", "data-requests", "people", "audit", "plan"].map(
        (tab) => `/settings/${tab}`,
      );
      const own = await lookAt(t, owner, "phone", [
        ...screens,
        { path: "/settings/people", act: press(/^Remove n+@/) },
        { path: "/account", act: press("Menu") },
        { path: "/account", act: goTo },
        "/account",
        "/no/such/screen",
      ]);
      expect(wrongWith(own)).toEqual([]);
      const token = await invitedBy(t, longEmail.replace("n", kind === "one word" ? "o" : "p"), {
        store,
        role: "owner",
      });
      expect(wrongWith(await lookAt(t, undefined, "phone", [`/link/${token}`, "/sign-in"]))).toEqual([]);
      const path = `/operator?q=${store.id}`;
      const host = await lookAt(t, operator, "phone", [
        path,
        { path, act: choose("Plan, zone and limits") },
        { path, act: choose("Sign in as support") },
        { path, act: choose("Disconnect") },
      ]);
      expect(wrongWith(host)).toEqual([]);
    }, 120_000);
  }
});
