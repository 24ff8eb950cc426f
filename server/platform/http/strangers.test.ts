import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
});
afterAll(() => t.close());

const atOnce = 10_000;
const more = 8;
const [repeating, other] = ["192.0.2.1", "192.0.2.2"];

interface Sent {
  method: "GET" | "DELETE";
  url: string;
  headers?: Record<string, string>;
}

/**
 * Sends some of these requests from an address that has had all answers that come at once, and behind them one from
 * another. Returns those addresses in the order of their answers.
 */
async function repeat({ method, url, headers = {} }: Sent): Promise<{ order: string[]; statuses: Set<number> }> {
  const app = t.compose({ elapsed: () => 0 });
  const order: string[] = [];
  const statuses = new Set<number>();
  const send = async (remoteAddress: string) => {
    const answer = await app.inject({ method, url, remoteAddress, headers });
    statuses.add(answer.statusCode);
    order.push(remoteAddress);
  };
  for (let number = 0; number < atOnce; number += 1) expect(app.strangers.pace(repeating)).toBeNull();
  await Promise.all([...Array.from({ length: more }, () => send(repeating)), send(other)]);
  await app.close();
  return { order, statuses };
}

describe("an address that repeats at once what costs nothing to send [api.unknown-senders]", () => {
  it.each<[string, Sent, number]>([
    ["a wrong key", { method: "GET", url: "/v1/store", headers: { authorization: "Bearer svc_live_none" } }, 401],
    ["an unknown path", { method: "GET", url: "/wp-login.php" }, 404],
    ["another method", { method: "DELETE", url: "/v1/store" }, 405],
    ["whether the process is alive [operations.health]", { method: "GET", url: "/healthz" }, 200],
  ])("gets the answers beyond ten thousand later, and the same: %s", async (_, sent, status) => {
    const { order, statuses } = await repeat(sent);
    expect([...statuses]).toEqual([status]);
    expect(order).toEqual([other, ...Array.from({ length: more }, () => repeating)]);
  });

  it("is not made to wait for what is missing in its own store", async () => {
    const headers = { authorization: `Bearer ${store.key}` };
    const url = "/v1/quizzes/quiz_00000000000070008000000000000000";
    const { order, statuses } = await repeat({ method: "GET", url, headers });
    expect([...statuses]).toEqual([404]);
    expect(order).toHaveLength(more + 1);
    expect(order[0]).toBe(repeating);
  });
});
