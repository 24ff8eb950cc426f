import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { openBrowser, openPage } from "../../testkit/browser.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { listen } from "../../testkit/raw-http.ts";
import { swept } from "../../testkit/sweeps.ts";

/** The documentation in a browser: what its own rules refuse, what readers with aids meet, sending an operation. */

const browser = await openBrowser();

let t: TestApp;
let url: string;
let store: TestStore;
beforeAll(async () => {
  if (browser === null) return;
  t = await openTestApp();
  url = `http://127.0.0.1:${await listen(t.app)}`;
  store = await t.store({ plan: "enterprise" });
}, 60_000);
afterAll(() => t?.close());

const pages = [
  "/docs",
  "/docs/people",
  "/docs/rules/api",
  "/reference",
  "/reference/searchProfiles",
  "/docs/search?q=key",
  "/errors",
  "/errors/timeout",
];
const looks = {
  light: {},
  dark: { colorScheme: "dark" },
  "a phone": { viewport: { width: 320, height: 640 } },
} as const;
const lookNames = Object.keys(looks) as (keyof typeof looks)[];

describe.skipIf(browser === null)("in a browser", () => {
  it.for(swept(lookNames, ["light"]))(
    "has nothing that its rules refuse or axe finds, %s [reference.offline]",
    async (look) => {
      const { page, faults, close } = await openPage({ ...looks[look], bypassCSP: false });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      for (const path of pages) {
        await page.goto(url + path);
        await page.waitForFunction(
          () => document.querySelector("pre") === null || document.querySelector(".copied") !== null,
        );
        await page.evaluate(axe.source);
        const found = await page.evaluate(() => {
          type Axe = { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
          // the script that was put into the page brings it
          return (globalThis as unknown as { axe: Axe }).axe.run();
        });
        expect([path, found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([path, []]);
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        );
        expect([path, wide]).toEqual([path, false]);
      }
      expect(faults).toEqual([]);
      expect(asked.filter((address) => !address.startsWith(url))).toEqual([]);
      await close();
    },
    120_000,
  );

  it("shows one language of the examples, and keeps which", async () => {
    const { page, close } = await openPage();
    await page.goto(`${url}/reference/getStore`);
    const shown = () => page.locator("pre:visible").first().textContent();
    expect(await shown()).toContain("curl");
    await page.getByRole("button", { name: "Python" }).click();
    expect(await shown()).toContain("urllib");
    await page.goto(`${url}/reference/listQuizzes`);
    expect(await shown()).toContain("urllib");
    await close();
  });

  it("can be read without scripts", async () => {
    const { page, close } = await openPage({ javaScriptEnabled: false });
    await page.goto(`${url}/reference/getStore`);
    for (const language of ["curl", "TypeScript", "Python"]) {
      expect(await page.getByRole("heading", { name: language }).isVisible()).toBe(true);
    }
    await page.getByRole("searchbox").fill("rotate secret");
    await page.getByRole("button", { name: "Find" }).click();
    expect(await page.locator("main li a").first().textContent()).toContain("secret");
    await close();
  });

  it("sends an operation with the reader's key, and shows what came back [reference.try]", async () => {
    const quiz = await makeQuiz(t, store, { publish: true, name: "Tried" });
    const { page, faults, close } = await openPage();
    await page.goto(`${url}/reference/getQuiz`);
    await page.getByLabel("API key").fill(store.key);
    await page.getByLabel("quiz_id").fill(quiz.id);
    await page.getByRole("button", { name: "Send GET" }).click();
    await page.getByText("Status 200").waitFor();
    expect(await page.locator(".answer pre").textContent()).toContain('"name": "Tried"');
    // the key is there on the next page of the same tab, and a body is sent as it stands
    await page.goto(`${url}/reference/saveVersion`);
    await page.getByLabel("quiz_id").fill(quiz.id);
    await page.getByLabel("Body").fill('{ "label": "From the page" }');
    await page.getByRole("button", { name: "Send POST" }).click();
    await page.getByText("Status 201").waitFor();
    expect(await page.locator(".answer pre").textContent()).toContain('"label": "From the page"');
    expect(faults).toEqual([]);

    await page.goto(`${url}/reference/deleteQuiz`);
    await page.getByLabel("quiz_id").fill(quiz.id);
    page.once("dialog", (dialog) => dialog.dismiss());
    await page.getByRole("button", { name: "Send DELETE" }).click();
    const read = () => t.request("GET", `/v1/quizzes/${quiz.id}`, { key: store.key });
    expect((await read()).status).toBe(200);
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Send DELETE" }).click();
    await page.getByText("Status 200").waitFor();
    expect((await read()).status).toBe(404);
    await close();
  });
});
