import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { patience } from "../testkit/slowness.ts";
import { shortQuiz } from "./documents.ts";
import { type Answer, type Client, client, type Problem, type StoreObject } from "./http.ts";
import { command, type Place, until } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { importQuiz, newKey, openShop, type Shop } from "./shop.ts";
import { newId } from "./visit.ts";

/** Leaky buckets of keys and stores, as a client sees them. */

let program: Place;

beforeAll(async () => {
  program = await sharedProgram();
}, 120_000);

const open = async (plan: string, limits?: Record<string, number>): Promise<Shop> =>
  openShop(program.data, limits === undefined ? { plan } : { plan, limits });

const keyOf = async (shop: Shop): Promise<Client> =>
  client(program.url, (await newKey(program.data, shop.store_id)).key);

interface Bucket {
  limit: number;
  remaining: number;
  reset: number;
  policy: string | null;
}

function bucketOf({ headers }: Answer<unknown>): Bucket {
  const text = headers.get("ratelimit") ?? "";
  const read = /^limit=(\d+), remaining=(\d+), reset=(\d+)$/.exec(text);
  expect(read, text).not.toBeNull();
  const [limit = 0, remaining = 0, reset = 0] = (read ?? []).slice(1).map(Number);
  return { limit, remaining, reset, policy: headers.get("ratelimit-policy") };
}

interface Burst {
  admitted: Answer<unknown>[];
  refused: Answer<Problem>[];
  seconds: number;
}

const isRefusal = ({ status }: Answer<unknown>): boolean => status === 429;

/** Asks `each` times with every client, and again where a busy machine was so slow that none was the awaited refusal. */
async function burst(clients: readonly Client[], each: number, awaited = isRefusal): Promise<Burst> {
  const began = performance.now();
  const answers: Answer<Problem>[] = [];
  do {
    const asked = clients.flatMap((api) => Array.from({ length: each }, () => api.get<Problem>("/v1/store")));
    answers.push(...(await Promise.all(asked)));
  } while (!answers.some(awaited) && performance.now() - began < 10_000 * patience);
  const seconds = (performance.now() - began) / 1000;
  return {
    admitted: answers.filter(({ status }) => status !== 429),
    refused: answers.filter(({ status }) => status === 429),
    seconds,
  };
}

function expectRefused(answer: Answer<Problem>, limit: number, leak: number): void {
  expect(answer.body).toMatchObject({ title: "rate_limited", status: 429 });
  const after = Number(answer.headers.get("retry-after"));
  expect(after).toBeGreaterThanOrEqual(1);
  expect(answer.body.retry_after).toBe(after);
  expect(bucketOf(answer)).toMatchObject({ limit, remaining: 0, policy: `${limit};w=${Math.ceil(limit / leak)}` });
}

let plus: Shop;
let plusKeys: Client[];
let enterpriseKey: Client;

beforeAll(async () => {
  plus = await open("plus");
  plusKeys = [await keyOf(plus), await keyOf(plus), await keyOf(plus), await keyOf(plus)];
  enterpriseKey = await keyOf(await open("enterprise"));
}, 120_000);

describe("a key's bucket", () => {
  it("takes 1 for a read, 2 for a write, and a refusal its class [api.costs]", async () => {
    const shop = await open("plus", { capacity: 1000, leak_per_second: 1 });
    const { quiz_id } = await importQuiz(program.data, shop.store_id, shortQuiz);
    const api = await keyOf(shop);
    const costs: [number, () => Promise<Answer<unknown>>][] = [
      [1, () => api.get("/v1/store")],
      [1, () => api.get(`/v1/quizzes/${newId("quiz")}`)],
      [1, () => api.get("/v1/profiles?limit=0")],
      [2, () => api.post(`/v1/quizzes/${quiz_id}/versions`)],
      [2, () => api.post(`/v1/quizzes/${quiz_id}/versions`, { label: 1 })],
      [2, () => api.delete(`/v1/quizzes/${newId("quiz")}`)],
    ];
    const began = performance.now();
    let spent = 0;
    for (const [cost, ask] of costs) {
      const { remaining, reset, limit, policy } = bucketOf(await ask());
      spent += cost;
      const leaked = Math.ceil((performance.now() - began) / 1000);
      expect([limit, policy]).toEqual([1000, "1000;w=1000"]);
      expect(remaining).toBeGreaterThanOrEqual(1000 - spent);
      expect(remaining).toBeLessThanOrEqual(1000 - spent + leaked);
      expect(reset).toBeGreaterThanOrEqual(spent - leaked);
      expect(reset).toBeLessThanOrEqual(spent);
    }
  });

  it("admits a burst of 72 on plus, then refuses, then leaks 12 a second [api.rate-limits]", async () => {
    const [api, other] = plusKeys as [Client, Client];
    const first = bucketOf(await api.get("/v1/store"));
    expect(first).toEqual({ limit: 72, remaining: 71, reset: 1, policy: "72;w=6" });
    const { admitted, refused, seconds } = await burst([api], 130);
    expect(admitted.length).toBeGreaterThanOrEqual(71);
    expect(admitted.length).toBeLessThanOrEqual(73 + 12 * seconds);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectRefused(answer, 72, 12);
    const lowest = Math.min(...admitted.map((answer) => bucketOf(answer).remaining));
    expect(lowest).toBe(0);
    expect((await other.get("/v1/store")).status).toBe(200);
    const after = refused[0]?.body.retry_after ?? 1;
    await pause(after * 1000);
    expect((await api.get("/v1/store")).status).toBe(200);
  });

  it("holds 360 on enterprise [api.rate-limits]", async () => {
    const api = enterpriseKey;
    expect(bucketOf(await api.get("/v1/store"))).toEqual({ limit: 360, remaining: 359, reset: 1, policy: "360;w=6" });
    const { limits } = (await api.get<StoreObject>("/v1/store")).body;
    expect(limits).toEqual({
      ...{ capacity: 360, leak_per_second: 60, bot_multiplier: 6, analytics_soft_ttl_seconds: 15 },
      ...{ export_page_pause_ms: 10, webhook_endpoints: 25, webhook_sends_per_second: 200 },
    });
  });
});

describe("a store's bucket", () => {
  it("is shared by all its keys, 3 times a key's on plus; the refusal describes it [api.rate-limits, api.rate-headers]", async () => {
    await pause(6000);
    const byItself = (answer: Answer<unknown>): boolean => isRefusal(answer) && bucketOf(answer).limit !== 72;
    const { admitted, refused, seconds } = await burst(plusKeys, 100, byItself);
    expect(admitted.length).toBeGreaterThanOrEqual(210);
    expect(admitted.length).toBeLessThanOrEqual(217 + 36 * seconds);
    for (const answer of admitted) expect(bucketOf(answer).limit).toBe(72);
    const byStore = refused.filter(byItself);
    expect(byStore.length).toBeGreaterThan(0);
    for (const answer of byStore) expectRefused(answer, 216, 36);
    expect((await enterpriseKey.get("/v1/store")).status).toBe(200);
  });
});

describe("an override", () => {
  const small = { capacity: 6, leak_per_second: 2, bot_multiplier: 2, credits_limit: 50 };

  it("gives the numbers in force and is told by the store [api.overrides]", async () => {
    const shop = await open("plus", small);
    const api = await keyOf(shop);
    const { limits, credits } = (await api.get<StoreObject>("/v1/store")).body;
    expect(limits).toEqual({
      ...{ capacity: 6, leak_per_second: 2, bot_multiplier: 2, analytics_soft_ttl_seconds: 60 },
      ...{ export_page_pause_ms: 50, webhook_endpoints: 5, webhook_sends_per_second: 50 },
    });
    expect(credits).toEqual({ limit: 50, used: 0, threshold: 40, overages_enabled: false });
    const { refused } = await burst([api], 40);
    for (const answer of refused) expectRefused(answer, 6, 2);
    expect(refused.length).toBeGreaterThan(0);
    const { refused: shared } = await burst([api, await keyOf(shop), await keyOf(shop)], 40);
    expect(shared.length).toBeGreaterThan(0);
    for (const answer of shared) expectRefused(answer, bucketOf(answer).limit, bucketOf(answer).limit === 12 ? 4 : 2);
    expect(shared.map((answer) => bucketOf(answer).limit)).toContain(12);
  });

  it("takes effect on the running server [api.overrides]", async () => {
    await pause(1000);
    const [api] = plusKeys as [Client];
    expect(bucketOf(await api.get("/v1/store")).limit).toBe(72);
    await command(program.data, "store", "update", plus.domain, "--limits", JSON.stringify({ capacity: 500 }));
    const answer = await until(
      () => api.get<StoreObject>("/v1/store"),
      ({ status, body }) => status === 200 && body.limits["capacity"] === 500,
    );
    expect([answer.body.limits["capacity"], answer.body.limits["leak_per_second"]]).toEqual([500, 12]);
    expect(bucketOf(await api.get("/v1/store"))).toMatchObject({ limit: 500, policy: "500;w=42" });
  });
});
