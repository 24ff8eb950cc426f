import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, invitedBy, signedIn } from "../testkit/accounts.ts";
import type { TestStore } from "../testkit/app.ts";
import { openBrowser } from "../testkit/browser.ts";
import {
  type DashboardApp,
  type DashboardPage,
  openDashboard,
  openDashboardApp,
  openTab,
} from "../testkit/dashboard.ts";
import { openProxy, type TcpProxy } from "../testkit/proxy.ts";

/** What goes wrong while somebody works: sessions that end, servers that go away, two tabs, Back, and names of any length. */

const browser = await openBrowser();
const email = "owner@shop.example";
const password = "a long pass phrase";
const longName = "Ein Geschäft mit einem sehr langen Namen ".repeat(5).trim().slice(0, 200);
const rtlName = "متجر الشاي والقهوة";

describe.skipIf(browser === null)("whoever works in the dashboard", () => {
  let t: DashboardApp;
  let network: TcpProxy;
  let server: { url: string };
  let first: TestStore;
  let second: TestStore;
  let owner: Browser;

  beforeAll(async () => {
    t = await openDashboardApp();
    network = await openProxy({ port: Number(new URL(t.url).port) });
    server = { url: `http://127.0.0.1:${network.port}` };
    [first, second] = [await t.store(), await t.store()];
    const once = await signedIn(t, email, { store: first, role: "owner", password });
    const token = await invitedBy(t, email, { store: second, role: "owner" });
    await once.request("POST", "/links/use", { body: { token } });
  }, 120_000);
  afterAll(async () => {
    await network?.close();
    await t?.close();
  });
  beforeEach(async () => {
    t.passTime(60_000);
    owner = await signedIn(t, email);
  });

  const open = async (path: string): Promise<DashboardPage> => {
    const on = await openDashboard(server, owner);
    await on.open(path);
    return on;
  };
  const heading = (on: DashboardPage, name: string) => on.page.getByRole("heading", { level: 1, name }).waitFor();

  it("is asked to sign in again where the session ended elsewhere, and goes on with what was typed [dashboard.ended-session]", async () => {
    const on = await open(`/settings/people?store=${first.id}`);
    await on.page.getByLabel("Email").fill("typed@shop.example");
    await owner.request("DELETE", "/me/sessions");
    await on.page.getByRole("button", { name: "Invite" }).click();
    const again = on.page.getByRole("dialog", { name: "Please sign in again" });
    await again.getByText("Your session has ended.").waitFor();
    expect(await on.violations()).toEqual([]);
    await again.getByLabel("Password").fill(password);
    await again.getByRole("button", { name: "Sign in" }).click();
    await again.waitFor({ state: "detached" });
    expect(await on.page.getByLabel("Email").inputValue()).toBe("typed@shop.example");
    await on.page.getByRole("button", { name: "Invite" }).click();
    await on.page.getByRole("button", { name: "Withdraw the invitation of typed@shop.example" }).waitFor();
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);

  it("sees what failed meanwhile once they have signed in again [dashboard.ended-session]", async () => {
    const on = await open(`/settings/store?store=${first.id}`);
    await owner.request("DELETE", "/me/sessions");
    await on.page.getByRole("link", { name: "Plan and credits" }).click();
    const again = on.page.getByRole("dialog", { name: "Please sign in again" });
    await again.getByLabel("Password").fill(password);
    await again.getByRole("button", { name: "Sign in" }).click();
    await again.waitFor({ state: "detached" });
    await on.page.getByRole("heading", { level: 2, name: "Credits" }).waitFor();
    expect(await on.page.getByRole("alert").count()).toBe(0);
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);

  it("loses nothing that was typed while the server is away, nor by a reload [dashboard.kept-forms, dashboard.problems]", async () => {
    const on = await open(`/settings/people?store=${first.id}`);
    await on.page.getByLabel("Email").fill("away@shop.example");
    await network.cut();
    await on.page.getByRole("button", { name: "Invite" }).click();
    await on.page.getByText("The server cannot be reached.").first().waitFor();
    expect(await on.page.getByLabel("Email").inputValue()).toBe("away@shop.example");
    await network.restore();
    await on.page.reload();
    await on.settled();
    expect(await on.page.getByLabel("Email").inputValue()).toBe("away@shop.example");
    await on.page.getByRole("button", { name: "Invite" }).click();
    await on.page.getByRole("button", { name: "Withdraw the invitation of away@shop.example" }).waitFor();
    expect(await on.page.getByLabel("Email").inputValue()).toBe("");
    await on.close();
  }, 60_000);

  it("is told once of being offline, and can go on after it [dashboard.offline]", async () => {
    const on = await open("/account");
    await on.page.context().setOffline(true);
    await on.page.getByText("You are offline.").waitFor();
    await on.page.context().setOffline(false);
    await on.page.getByText("You are offline.").waitFor({ state: "detached" });
    await on.close();
  });

  it("looks at two stores in two tabs, each with its own, and a copied address leads to the same [dashboard.store]", async () => {
    const on = await open(`/settings/store?store=${first.id}`);
    const other = await openTab(server, on, `/settings/store?store=${second.id}`);
    const domains = ["shop-1.example.com", "shop-2.example.com"];
    for (const [at, tab] of [on, other].entries()) {
      await tab.page.reload();
      await tab.page.getByText(domains[at] ?? "").waitFor();
    }
    await on.page.getByLabel("Store", { exact: true }).selectOption({ value: second.id });
    await on.page.getByText("shop-2.example.com").waitFor();
    expect(on.page.url()).toContain(`store=${second.id}`);
    await on.page.goBack();
    await on.page.getByText("shop-1.example.com").waitFor();
    const strangers = await t.store();
    await on.open(`/settings/store?store=${strangers.id}`);
    await heading(on, "This store is not yours");
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);

  it("signs out in one tab, and the other says so [dashboard.ended-session]", async () => {
    const on = await open(`/account?store=${first.id}`);
    const other = await openTab(server, on, `/exports?store=${first.id}`);
    await on.page.getByRole("button", { name: "owner@shop.example" }).click();
    await on.page.getByRole("menuitem", { name: "Sign out" }).click();
    await on.page.getByText("You are signed out.").waitFor();
    await other.page.getByRole("dialog", { name: "Please sign in again" }).waitFor();
    await on.close();
  }, 60_000);

  it("goes back and forward through every screen, each as it was [dashboard.addresses, dashboard.focus]", async () => {
    const on = await open(`/?store=${first.id}`);
    const visited = ["Home"];
    for (const name of ["Quizzes", "Exports", "Settings"]) {
      await on.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
      await heading(on, name === "Settings" ? "Store" : name);
      visited.push(name === "Settings" ? "Store" : name);
    }
    await on.page.getByRole("link", { name: "Plan and credits" }).click();
    await heading(on, "Plan and credits");
    for (const name of visited.toReversed()) {
      await on.page.goBack();
      await heading(on, name);
    }
    for (const name of visited.slice(1)) {
      await on.page.goForward();
      await heading(on, name);
    }
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);

  it("finds screens and does things by keys alone [dashboard.command-menu]", async () => {
    const on = await open(`/?store=${first.id}`);
    await on.page.keyboard.press("Control+k");
    const search = on.page.getByRole("dialog").getByRole("textbox", { name: "Search" });
    await search.fill("audit");
    await on.page.getByText("Audit log", { exact: true }).waitFor();
    expect(await on.violations()).toEqual([]);
    await search.press("ArrowDown");
    await search.press("Enter");
    await heading(on, "Audit log");
    await on.page.keyboard.press("?");
    await on.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await on.violations()).toEqual([]);
    await on.page.keyboard.press("Escape");
    await on.page.getByRole("dialog").waitFor({ state: "detached" });
    // the first stop of the Tab key is the way past the navigation
    await on.page.reload();
    await on.settled();
    await on.page.keyboard.press("Tab");
    await on.page.keyboard.press("Enter");
    await expect.poll(() => on.page.evaluate(() => document.activeElement?.id)).toBe("main");
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);

  it("has names of 200 characters and from right to left, and no screen is wider for it [dashboard.accessible]", async () => {
    for (const name of [longName, rtlName]) {
      await owner.request("PATCH", "/settings", { store: first, body: { name } });
      for (const width of [320, 1440]) {
        const on = await openDashboard(server, owner, { viewport: { width, height: 720 } });
        for (const path of ["/", "/settings/store", "/settings/people"]) {
          await on.open(`${path}?store=${first.id}`);
          expect([name, width, path, await on.isWide()]).toEqual([name, width, path, false]);
        }
        await on.close();
      }
    }
  }, 90_000);

  it("keeps the drawer's keyboard and readers on a phone [dashboard.accessible]", async () => {
    const on = await openDashboard(server, owner, {
      viewport: { width: 375, height: 720 },
      isMobile: true,
      hasTouch: true,
    });
    await on.open(`/?store=${first.id}`);
    await on.page.getByRole("button", { name: "Menu" }).click();
    const drawer = on.page.getByRole("dialog", { name: "Menu" });
    await drawer.getByRole("link", { name: "Exports" }).waitFor();
    expect(await on.violations()).toEqual([]);
    await drawer.getByRole("link", { name: "Exports" }).click();
    await heading(on, "Exports");
    await drawer.waitFor({ state: "detached" });
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);
});
