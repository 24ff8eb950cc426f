import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook } from "../../testkit/commerce.ts";
import { mutated, shopMessage } from "../../testkit/shop-payloads.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
  await t.update(store, { limits: { capacity: 1_000_000 } });
});
afterAll(() => t.close());

/** 150 and 50 is the sweep that was run by hand; this much is run every time. */
const messages = 30;
const mutations = 12;

it("takes every published payload, and of mutated ones refuses by name what cannot be read; figures still answer [orders.content, orders.unreadable]", async () => {
  const refused: Record<string, number> = {};
  for (let number = 0; number < messages; number++) {
    const { topic, payload } = shopMessage(number, t.calendar.now());
    expect((await postWebhook(t, store, { topic, payload })).status, `${topic} ${number}`).toBe(200);
    for (let mutation = 0; mutation < mutations; mutation++) {
      const seed = number * 1_000 + mutation;
      const answer = await postWebhook(t, store, { topic, payload: mutated(payload, seed) });
      const told = `${topic} ${number}, seed ${seed}: ${answer.text}`;
      expect([200, 422], told).toContain(answer.status);
      if (answer.status !== 422) continue;
      const [{ field, message }] = answer.body.errors;
      expect(field, told).toMatch(/^body\.[a-z_]+/);
      expect(message, told).not.toBe("");
      refused[field.replaceAll(/\d+/g, "n")] = (refused[field.replaceAll(/\d+/g, "n")] ?? 0) + 1;
    }
    t.passTime(60_000);
  }
  expect(Object.keys(refused)).not.toEqual([]);
  const asked = ["/v1/analytics/summary", "/v1/analytics/overview?from=2026-03-01&to=2026-03-10", "/v1/profiles"];
  for (const path of [...asked, "/v1/analytics/products?from=2026-03-01&to=2026-03-10"]) {
    const answer = await t.request("GET", path, { key: store.key });
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
  }
}, 240_000);
