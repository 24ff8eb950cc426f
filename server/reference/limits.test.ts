import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const from = (address: string, url: string, body?: object) =>
  t.app.inject({ method: "GET", url, remoteAddress: address, ...(body ? { payload: body } : {}) });

/** Requests that are answered before one is refused. */
async function answeredOf(address: string, url: string, most: number): Promise<number> {
  for (let count = 0; count < most; count += 1) {
    const { statusCode, headers } = await from(address, url);
    if (statusCode === 429) {
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      return count;
    }
    expect([url, statusCode]).toEqual([url, 200]);
  }
  return most;
}

it("an address has limits for what anybody may read, by requests and by what is sent, and no other address suffers [reference.sender-limits]", async () => {
  const long = await from("192.0.2.1", "/llms-full.txt");
  const units = 1 + Math.floor(long.body.length / 8_192);
  expect(units).toBeGreaterThan(20);
  expect(await answeredOf("192.0.2.1", "/llms-full.txt", 1_000)).toBe(Math.floor(10_000 / units) - 1);
  const refused = await from("192.0.2.1", "/llms-full.txt");
  expect([refused.statusCode, refused.json().title]).toEqual([429, "rate_limited"]);
  expect(refused.headers["content-type"]).toContain("application/problem+json");
  expect((await from("192.0.2.2", "/llms-full.txt")).statusCode).toBe(200);
  t.passTime(1_000);
  expect((await from("192.0.2.1", "/docs/people")).statusCode).toBe(200);
});

it("the longest text is made once, and costs no more than a file as long [reference.sender-limits]", async () => {
  const cost = async (url: string): Promise<number> => {
    const before = process.cpuUsage();
    for (let sent = 0; sent < 5; sent += 1) expect((await from("192.0.2.9", url)).statusCode).toBe(200);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const least = { "/openapi.json": Number.POSITIVE_INFINITY, "/llms-full.txt": Number.POSITIVE_INFINITY };
  for (let round = 0; round < 5; round += 1) {
    for (const url of Object.keys(least) as (keyof typeof least)[]) least[url] = Math.min(least[url], await cost(url));
  }
  // joined from its pages for each request it took six times as long
  expect(least["/llms-full.txt"]).toBeLessThan(3 * least["/openapi.json"]);
});

it("a body that comes along is charged before it is read, and no sign-in or shopper's request pays for it [reference.sender-limits]", async () => {
  const body = { padding: "x".repeat(900 * 1024) };
  for (let sent = 0; sent < 11; sent += 1) await from("192.0.2.3", "/docs", body);
  expect((await from("192.0.2.3", "/docs", body)).statusCode).toBe(429);
  const store = await t.store();
  const quizzes = await from("192.0.2.3", `/storefront/v1/quizzes?store=${store.publishableKey}`);
  expect(quizzes.statusCode).toBe(200);
});

it.each([
  "/openapi.json",
  "/dashboard/openapi.json",
  "/errors",
  "/docs/images/demo-desktop.jpg",
  "/llms.txt",
  "/docs.css",
  "/dashboard",
  "/dashboard/assets/none.js",
  "/exports/exp_00000000000070008000000000000000",
])("%s is one of them [reference.sender-limits]", async (path) => {
  const body = { padding: "x".repeat(900 * 1024) };
  const address = `198.51.100.${path.length}`;
  for (let sent = 0; sent < 11; sent += 1) await from(address, "/docs", body);
  const url = path === "/docs.css" ? "/docs/assets/docs.css" : path;
  for (let sent = 0; sent < 200 && (await from(address, url)).statusCode !== 429; sent += 1);
  expect((await from(address, url)).statusCode).toBe(429);
});

it("a person whose network asks for too much is told so on a page that loads itself again, a program by a problem [reference.sender-limits]", async () => {
  const body = { padding: "x".repeat(900 * 1024) };
  for (let sent = 0; sent < 11; sent += 1) await from("192.0.2.20", "/docs", body);
  for (let sent = 0; sent < 200 && (await from("192.0.2.20", "/docs")).statusCode !== 429; sent += 1);
  const seenBy = async (url: string, accept: string) => {
    const answer = await t.app.inject({ method: "GET", url, remoteAddress: "192.0.2.20", headers: { accept } });
    return { status: answer.statusCode, type: answer.headers["content-type"], text: answer.body };
  };
  for (const url of ["/dashboard/quizzes?tab=funnel", "/docs/people", "/reference"]) {
    const page = await seenBy(url, "text/html,application/xhtml+xml");
    expect([url, page.status, page.type]).toEqual([url, 429, "text/html; charset=utf-8"]);
    expect(page.text).toContain("Too many requests came from your network.");
    expect(page.text).toMatch(/<meta http-equiv="refresh" content="\d+"/);
    expect(await seenBy(url, "*/*")).toMatchObject({ status: 429, type: "application/problem+json" });
  }
  expect(await seenBy("/openapi.json", "text/html")).toMatchObject({ status: 429, type: "application/problem+json" });
});
