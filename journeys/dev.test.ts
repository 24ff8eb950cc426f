import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OpenedPage, openBrowser, openPage } from "../testkit/browser.ts";
import { openShopPage } from "../testkit/browser-shop.ts";
import { freePort } from "../testkit/machine.ts";

/** `npm run dev`: what changes in the sources is seen at once. */

const checkout = join(import.meta.dirname, "..");
const browser = await openBrowser();
/** Of no store and no quiz: the player says so. */
const noId = "0".repeat(32);

describe.skipIf(browser === null)("while somebody develops", () => {
  const data = mkdtempSync(join(tmpdir(), "quizstore-dev-"));
  let dev: ChildProcess;
  let url: string;
  let said = "";
  let opened: OpenedPage;
  const soon = { timeout: 110_000 };
  /** what the page's console says of changes */
  const heard: string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    dev = spawn(process.execPath, ["scripts/dev.ts", "--port", String(port), "--data", data, "--no-demo"], {
      cwd: checkout,
      env: { ...process.env, DATABASE_URL: undefined },
    });
    for (const stream of [dev.stdout, dev.stderr]) stream?.on("data", (piece) => (said += String(piece)));
    await vi.waitFor(() => expect(said).toContain("Sources are served"), soon);
    await vi.waitFor(() => expect(startsOf(said)).toBeGreaterThan(0), soon);
    opened = await openPage();
    opened.page.on("console", (message) => heard.push(message.text()));
  }, 240_000);
  afterAll(async () => {
    await opened?.close();
    const gone = once(dev, "exit");
    dev.kill("SIGTERM");
    await gone;
    await rm(data, { recursive: true, force: true });
  }, 60_000);

  /** Saves a source file as it is, which counts as a change. */
  const save = (file: string) => utimes(join(checkout, file), new Date(), new Date());
  const startsOf = (text: string) => text.split('"msg":"ready"').length - 1;
  it("a screen takes a change over without being loaded again", { timeout: 120_000 }, async () => {
    const { page, faults } = opened;
    await page.goto(`${url}/dashboard`);
    const email = page.getByLabel("Email");
    await email.fill("somebody@shop.example");
    await save("dashboard/account/sign-in-form.tsx");
    await expect.poll(() => heard.some((line) => line.includes("hot updated")), soon).toBe(true);
    expect(await email.inputValue()).toBe("somebody@shop.example");
    expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
  });

  it("a quiz begins again when the player changes", { timeout: 120_000 }, async () => {
    const shop = await openShopPage(
      `<!doctype html><quiz-store store="pub_${noId}" quiz="quiz_${noId}"></quiz-store><script src="${url}/embed.js"></script>`,
    );
    const { page } = shop;
    await page.locator("quiz-store .unshown").waitFor();
    const loaded = page.waitForEvent("load");
    await save("player/view/page.tsx");
    await loaded;
    await page.locator("quiz-store .unshown").waitFor();
    await shop.close();
  });

  it("the server starts again, and requests wait for it", { timeout: 120_000 }, async () => {
    const before = startsOf(said);
    await save("server/main/about.ts");
    const answers: unknown[] = [];
    const ask = async () => answers.push((await fetch(`${url}/healthz`)).status);
    while (startsOf(said) === before) await ask().catch((error: Error) => answers.push(error.cause));
    await ask();
    expect(new Set(answers)).toEqual(new Set([200]));
  });
});
