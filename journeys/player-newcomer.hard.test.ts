import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openPage } from "../testkit/browser.ts";
import { openReceiver, type Receiver } from "../testkit/receiver.ts";
import { takeQuiz, wholeRoutine } from "../testkit/taken-quiz.ts";
import { cleanUp, type Demo, startDemo, until } from "./program.ts";
import { filledDemoFolder } from "./shared-program.ts";

/** A newcomer starts the program, opens the address that it prints first, takes a quiz and buys. */

const browser = await openBrowser();
const email = "newcomer@example.com";

let data: string;
let program: Demo;
let receiver: Receiver;
let url: string;
let key: string;

beforeAll(async () => {
  data = await filledDemoFolder();
  receiver = await openReceiver();
  program = await startDemo(data, { WEBHOOK_ALLOW_HOSTS: receiver.host });
  ({ url, key } = program);
}, 300_000);
afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
});

async function api(path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, {
    headers,
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  });
  return JSON.parse(await answer.text());
}

const scriptIsThere = async () =>
  (await fetch(`${url}/embed.js`)).headers.get("content-type")?.includes("javascript") ?? false;

describe.skipIf(browser === null)("a newcomer", () => {
  it("takes a quiz, buys, and sees person, order and webhook [demo.storefront, demo.orders, demo.receipt, demo.announced]", async () => {
    expect(program.stdout().split("\n")[0]).toBe(`Open the demo shop: ${url}/demo`);
    const subscribed = { url: receiver.url(), topics: ["quiz.finished", "profile.created"], include_pii: true };
    expect((await api("/v1/webhooks", subscribed)).status).toBe("enabled");
    expect(await until(scriptIsThere, (is) => is, 60)).toBe(true);

    const { page, faults, close } = await openPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/demo`);
    const quiz = page.locator("quiz-store[mode=inline]");
    expect(await takeQuiz(quiz, wholeRoutine(email))).toBe("Your routine is ready");
    await quiz.getByRole("button", { name: "Add to cart" }).first().click();
    await page.locator("[data-count]", { hasText: "1" }).waitFor();

    await page.goto(`${url}/demo/cart`);
    await page.getByText("from a quiz").waitFor();
    await page.getByLabel("Email").fill("somebody.else@example.com");
    await page.getByRole("button", { name: "Place the order" }).click();
    await page.getByRole("heading", { name: "Thank you. Here is what happened" }).waitFor();
    await page.getByText("quiz.finished").first().waitFor({ timeout: 30_000 });
    const happened = await page.locator("[data-happened]").innerText();
    const [profile = ""] = /prof_\w{32}/.exec(happened) ?? [];
    expect(happened).toContain("a line of it carries the quiz's session");
    expect(await page.content()).not.toContain(key);
    expect(faults).toEqual([]);
    await close();

    const person = await api(`/v1/profiles/${profile}`);
    expect(JSON.stringify(person)).toContain(email);
    expect(person.orders).toEqual([expect.objectContaining({ matched_tier: "line_item" })]);
    await receiver.until(2, 90_000);
    const told = receiver.received.map(({ body }) => JSON.parse(body.toString()));
    expect(told.map(({ type }) => type).toSorted()).toEqual(["profile.created", "quiz.finished"]);
    expect(JSON.stringify(told.find(({ type }) => type === "quiz.finished"))).toContain(email);
  }, 240_000);
});
