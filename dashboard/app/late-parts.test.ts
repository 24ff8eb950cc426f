import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuiltFiles } from "../../server/web/open-built.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { builtDashboard } from "../../testkit/built-player.ts";
import { type DashboardApp, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";

const browser = await openBrowser();

/** Today's build under other names, which are all that there is from `upgrade()` on. */
async function twoReleases(): Promise<{ files: BuiltFiles; upgrade(): void }> {
  const { files, manifest } = await builtDashboard();
  const nextMain = "dashboard/assets/main-Release2.js";
  const plain = Buffer.from(`import "/${manifest.main}";`);
  const next = { tag: "release-2", plain, gzip: gzipSync(plain), brotli: brotliCompressSync(plain) };
  let isUpgraded = false;
  let isNextOpen = false;
  return {
    upgrade: () => {
      isUpgraded = true;
    },
    files: {
      state: "ready",
      get manifest() {
        return isUpgraded ? { ...manifest, main: nextMain } : manifest;
      },
      file: (path) => {
        if (!isUpgraded) return files.file(path);
        // the new release is made of the same parts, which a page of the one before does not get
        isNextOpen ||= path === nextMain;
        if (path === nextMain) return next;
        return isNextOpen ? files.file(path) : null;
      },
    },
  };
}

/** Gone with the page that it was written into. */
const mark = (page: Page) => page.evaluate(() => void Reflect.set(window, "isSame", true));
const isMarked = (page: Page) => page.evaluate(() => Reflect.get(window, "isSame") === true);

describe.skipIf(browser === null)("a part that cannot be fetched", () => {
  let t: DashboardApp;
  let store: TestStore;
  let owner: Browser;
  let upgrade: () => void;
  beforeAll(async () => {
    const releases = await twoReleases();
    ({ upgrade } = releases);
    t = await openDashboardApp({ dashboard: releases.files });
    store = await t.store();
    owner = await signedIn(t, "owner@shop.example", { store, role: "owner" });
  }, 120_000);
  afterAll(() => t?.close());

  const open = async (path: string) => {
    const on = await openDashboard(t, owner);
    await on.open(path);
    await mark(on.page);
    return { on, page: on.page };
  };

  it("since the server is away says so, and the page is loaded again once it is back and no sooner [dashboard.late-parts]", async () => {
    const { on, page } = await open("/settings/people");
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Exports" }).click();
    await page.getByRole("heading", { level: 1, name: "This screen could not be shown" }).waitFor();
    await page.getByText("The server cannot be reached.").waitFor();
    expect(await on.violations()).toEqual([]);
    const again = page.getByRole("button", { name: "Load again" });
    const asked = page.waitForEvent("requestfailed", (request) => request.url() === `${t.url}/dashboard`);
    await again.click();
    await asked;
    expect(await isMarked(page)).toBe(true);
    await page.context().setOffline(false);
    await again.click();
    await page.getByRole("heading", { level: 1, name: "Exports" }).waitFor();
    expect(await isMarked(page)).toBe(false);
    await on.close();
  }, 60_000);

  it("and is a dialog or menu is said over the screen, which stays as it is [dashboard.late-parts]", async () => {
    const { on, page } = await open("/settings/people");
    await page.route(/command-menu/, (route) => route.abort());
    await page.getByLabel("Email").fill("typed@shop.example");
    await page.getByRole("button", { name: /Search and commands/ }).click();
    const note = page.getByRole("alert").filter({ hasText: "This part of the dashboard could not be fetched." });
    await note.waitFor();
    expect(await note.getByRole("button", { name: "Load again" }).boundingBox()).toMatchObject({
      x: expect.any(Number),
    });
    expect(await on.violations()).toEqual([]);
    expect(await page.getByLabel("Email").inputValue()).toBe("typed@shop.example");
    await page.unroute(/command-menu/);
    await note.getByRole("button", { name: "Load again" }).click();
    await page.waitForFunction(() => Reflect.get(window, "isSame") === undefined);
    await on.settled();
    expect(await page.getByLabel("Email").inputValue()).toBe("typed@shop.example");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("textbox", { name: "Search" }).waitFor();
    await on.close();
  }, 60_000);

  // the last one: from here on the server has the new release
  it("since the server has a newer release offers to load the page again, after which what was typed is there [dashboard.late-parts, dashboard.kept-forms]", async () => {
    const { on, page } = await open("/settings/people");
    await page.getByLabel("Email").fill("before@shop.example");
    upgrade();
    await page.getByRole("link", { name: "Exports" }).click();
    await page.getByText("The dashboard has a new version.").waitFor();
    expect(await isMarked(page)).toBe(true);
    expect(await on.violations()).toEqual([]);
    await page.getByRole("button", { name: "Load again" }).click();
    await page.getByRole("heading", { level: 1, name: "Exports" }).waitFor();
    expect(await isMarked(page)).toBe(false);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Team and invitations" }).waitFor();
    expect(await page.getByLabel("Email").inputValue()).toBe("before@shop.example");
    await on.close();
  }, 60_000);
});
