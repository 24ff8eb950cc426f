import { request as httpRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, requester, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { slowRoutes, testRoutes } from "../../../testkit/operations.ts";
import { listen } from "../../../testkit/raw-http.ts";
import { patience } from "../../../testkit/slowness.ts";
import { timed } from "../../../testkit/timed.ts";

let t: TestApp;
let store: TestStore;
/** with all the time in the world, whatever the machine does meanwhile */
let patient: ReturnType<TestApp["compose"]>;
let port: number;
let admin: pg.Client;
beforeAll(async () => {
  t = await openTestApp({
    extraRoutes: [...slowRoutes(20), ...testRoutes().routes],
    requestTimeoutMs: 300,
    elapsed: () => performance.now(),
  });
  store = await t.store();
  const limits = { capacity: 1_000_000, leak_per_second: 1_000_000 };
  await t.update(store, { limits });
  patient = t.compose({ requestTimeoutMs: 30_000 * patience });
  port = await listen(patient);
  admin = new pg.Client(t.connection);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await t.close();
});

const ask = (method: string, url: string) => t.request(method, url, { key: store.key });
const askPatiently = (method: string, url: string) => requester(patient)(method, url, { key: store.key });

async function running(): Promise<number> {
  const { rows } = await admin.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
  );
  return rows[0].n;
}

async function becomes(read: () => Promise<number>, expected: number): Promise<number> {
  for (let tries = 0; tries < 100 * patience && (await read()) !== expected; tries += 1) await pause(20);
  return read();
}

const revision = async () =>
  (await admin.query("SELECT revision::int AS n FROM store_revisions WHERE store_id = $1", [store.uuid])).rows[0].n;

it("a request may have more time than Node's own five minutes [api.request-time]", async () => {
  const { server } = t.compose({ requestTimeoutMs: 600_000 });
  expect([server.requestTimeout, server.headersTimeout]).toEqual([600_000, 600_000]);
});

describe("a request past its time [api.request-time]", () => {
  it("answers 504 in time, a problem, and its SQL is cancelled", async () => {
    const { result: answer, ranMs } = await timed(() => ask("GET", "/v1/slow"));
    expect(ranMs).toBeLessThan(2_000);
    expect([answer.status, answer.body.title]).toEqual([504, "timeout"]);
    expect(answer.body.request_id).toBe(answer.headers["request-id"]);
    expect(answer.headers["retry-after"]).toBeUndefined();
    expect(await becomes(running, 0)).toBe(0);
  });

  it("rolls back the transaction of a write, and nothing goes on behind it", async () => {
    const before = await revision();
    expect((await ask("POST", "/v1/slow")).status).toBe(504);
    expect(await becomes(running, 0)).toBe(0);
    expect(await revision()).toBe(before);
  });

  it("leaves a write undone whose work outlasts the time between its statements", async () => {
    const before = await revision();
    const answer = await t.request("POST", "/v1/things", { key: store.key, body: { take_ms: 700 } });
    expect(answer.status).toBe(504);
    await pause(700);
    expect(await revision()).toBe(before);
  });

  it("stays healthy after 200 of them, more at once than there are connections", async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => ask(n % 2 === 0 ? "GET" : "POST", "/v1/slow")),
      );
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([504]));
      const after = await Promise.all(Array.from({ length: 10 }, () => askPatiently("GET", "/v1/store")));
      expect(after.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    }
    expect(await becomes(running, 0)).toBe(0);
  }, 60_000);

  it("cancels a read whose client hung up [api.hung-up]", async () => {
    const request = httpRequest({ port, path: "/v1/slow", headers: { authorization: `Bearer ${store.key}` } });
    request.on("error", () => undefined);
    request.end();
    expect(await becomes(running, 1)).toBe(1);
    request.destroy();
    const { result, ranMs } = await timed(() => becomes(running, 0));
    expect(result).toBe(0);
    expect(ranMs).toBeLessThan(250);
  });

  it("finishes a write whose client hung up: what was sent was meant [api.hung-up]", async () => {
    const before = await revision();
    const body = JSON.stringify({ take_ms: 100 });
    const headers = { authorization: `Bearer ${store.key}`, "content-type": "application/json" };
    const request = httpRequest({ port, path: "/v1/things", method: "POST", headers });
    request.on("error", () => undefined);
    request.end(body);
    expect(await becomes(running, 1)).toBe(1);
    request.destroy();
    expect(await becomes(revision, before + 1)).toBe(before + 1);
  });
});
