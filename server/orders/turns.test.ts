import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { readEachNode } from "../../testkit/nodes.ts";
import { countRows } from "../../testkit/storefront.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

describe("a burst of a shop's messages [orders.turns]", () => {
  it("waits for the store's lock on one connection, while another shop's message is answered", async () => {
    const [store, other] = [await t.store(), await t.store()];
    const holder = new pg.Client(t.connection);
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM store_revisions WHERE store_id = $1 FOR UPDATE", [store.uuid]);
    const now = t.calendar.now();
    const burst = Array.from({ length: 6 }, (_, number) =>
      postWebhook(t, store, { topic: "orders/create", payload: shopOrder(number + 1, now) }),
    );
    const waiting = async () => {
      const activity = `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event <> 'advisory'`;
      return (await readEachNode(t.connection, inject("workers"), activity)).length;
    };
    await expect.poll(waiting, { timeout: 10_000 }).toBeGreaterThan(0);
    const others = await postWebhook(t, other, { topic: "orders/create", payload: shopOrder(9, now) });
    await pause(200);
    expect([others.status, await waiting()]).toEqual([200, 1]);
    await holder.query("ROLLBACK");
    await holder.end();
    expect((await Promise.all(burst)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await countRows(t, store, "orders")).toBe(6);
  });

  it("goes on behind a message that is refused", async () => {
    const store = await t.store();
    const answers = await Promise.all([
      postWebhook(t, store, { topic: "orders/create", payload: "{" }),
      postWebhook(t, store, { topic: "orders/create", payload: shopOrder(1, t.calendar.now()) }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});
