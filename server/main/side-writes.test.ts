import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { withClient } from "../../testkit/nodes.ts";
import { patience } from "../../testkit/slowness.ts";

/**
 * Sessions, tokens and keys are used while their tables can be read and not written, like reference tables of a cluster
 * with a node away.
 */
let t: TestApp;
let store: TestStore;
let browser: Browser;
let token: string;
const minute = 60_000;
const tables = ["user_sessions", "personal_tokens", "api_keys"];

beforeAll(async () => {
  t = await openTestApp({ elapsed: () => performance.now() });
  store = await t.store();
  browser = await signedIn(t, "ada@marks.example", { store, role: "owner" });
  const expires_at = new Date(t.calendar.now() + 7 * 24 * 60 * minute).toISOString();
  const made = await browser.request("POST", "/me/tokens", {
    body: { name: "Assistant", store_id: store.id, expires_at },
  });
  token = made.body.token;
});
afterAll(() => t.close());

const unwritable = <Result>(work: () => Promise<Result>) =>
  withClient(t.connection, async (client: pg.Client) => {
    await client.query("BEGIN");
    for (const table of tables) await client.query(`LOCK TABLE ${table} IN SHARE MODE`);
    return work();
  });
const tool = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const askTools = (bearer: string) =>
  t.request("POST", "/mcp", {
    key: bearer,
    body: tool,
    headers: { accept: "application/json, text/event-stream" },
  });
const statuses = async () => [
  (await browser.request("GET", "/me")).status,
  (await browser.request("GET", "/v1/profiles", { store })).status,
  (await askTools(token)).status,
  (await askTools(store.key)).status,
  (await t.request("GET", "/v1/quizzes", { key: store.key })).status,
];
const usedAt = async (table: string, column: string) => {
  const rows = await t.database
    .reader()
    .all<{ at: Date | null }>({ sql: `SELECT ${column} AS at FROM ${table}`, parameters: [] });
  return rows.map(({ at }) => at?.getTime() ?? null);
};

describe("while the time of last use cannot be written [operations.side-writes]", () => {
  it("the dashboard, /mcp and /v1 answer, however long that lasts", async () => {
    t.calendar.advance(2 * minute);
    const before = await usedAt("user_sessions", "used_at");
    await unwritable(async () => {
      expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
      expect(await usedAt("user_sessions", "used_at")).toEqual(before);
      // the write is given up after two seconds, and its statement is cancelled
      const given = () => t.logged.filter((line) => line.includes("last used cannot be written")).length;
      await expect.poll(given, { timeout: 10_000 * patience }).toBe(1);
      expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
      expect(given()).toBe(1);
    });
  }, 30_000);

  it("a session whose rights changed keeps its token until it can be replaced", async () => {
    const app = t.compose({});
    const me = () => app.inject({ url: "/dashboard/api/me", headers: { cookie: browser.cookie() } });
    await t.database.reader().all({ sql: "UPDATE users SET rights = rights + 1", parameters: [] });
    await unwritable(async () => {
      for (let times = 0; times < 2; times += 1) {
        const answer = await me();
        expect([answer.statusCode, answer.headers["set-cookie"]]).toEqual([200, undefined]);
      }
    });
    const replaced = await t.compose({}).inject({ url: "/dashboard/api/me", headers: { cookie: browser.cookie() } });
    expect([replaced.statusCode, String(replaced.headers["set-cookie"])]).toEqual([
      200,
      expect.stringContaining("quizstore="),
    ]);
  }, 30_000);
});

it("the time of last use is written behind the answer otherwise [operations.side-writes]", async () => {
  const fresh = t.compose({});
  t.calendar.advance(2 * minute);
  const now = t.calendar.now();
  const headers = { authorization: `Bearer ${store.key}` };
  expect((await fresh.inject({ url: "/v1/quizzes", headers })).statusCode).toBe(200);
  const flat = now - (now % minute);
  await expect.poll(() => usedAt("api_keys", "last_used_at"), { timeout: 5_000 * patience }).toEqual([flat]);
});
