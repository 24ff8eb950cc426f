import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint, putDelivery, rowOf } from "../../testkit/endpoints.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { deleteLeftDeliveries } from "./delete-endpoint.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
});

const remove = (id: string) => t.request("DELETE", `/v1/webhooks/${id}`, { key: store.key });
const count = async (): Promise<number> => {
  const row = await t.database
    .reader()
    .forStore(store.uuid)
    .first<{ n: number }>(sql`SELECT count(*) AS n FROM webhook_deliveries WHERE store_id = ${ownStore}`);
  return row?.n ?? -1;
};
const many = (endpoint: string, rows: number) => {
  const [id, at] = [parseId("whe", endpoint), new Date(t.calendar.now())];
  return t.database
    .reader()
    .forStore(store.uuid)
    .all(sql`
      INSERT INTO webhook_deliveries (store_id, id, endpoint_id, event_id, topic, status, created_at, next_attempt_at,
        payload)
      SELECT ${ownStore}::uuid, md5(${id}::text || n)::uuid, ${id}::uuid, md5(n::text)::uuid, 'quiz.started',
        'delivered', ${at}::timestamptz, ${at}::timestamptz, '{}'
      FROM generate_series(1, ${rows}::integer) AS n`);
};

describe("deleting an endpoint", () => {
  it("takes its deliveries along, and no others [webhooks.delete]", async () => {
    const [one, two] = [await createEndpoint(t, store), await createEndpoint(t, store)];
    const gone = await putDelivery(t, store, one.id);
    const kept = await putDelivery(t, store, two.id);
    expect((await remove(one.id)).status).toBe(204);
    expect(await rowOf(t, store, gone)).toEqual({});
    expect(await rowOf(t, store, kept)).toMatchObject({ status: "delivered" });
  });

  it("does not wait for very many of them, which go by and by [webhooks.delete]", async () => {
    const [one, two] = [await createEndpoint(t, store), await createEndpoint(t, store)];
    await many(one.id, 12_000);
    await many(two.id, 10);
    expect((await remove(one.id)).status).toBe(204);
    expect(await count()).toBe(7_010);
    expect(await deleteLeftDeliveries(t.database)).toBe(7_000);
    expect(await count()).toBe(10);
    expect(await deleteLeftDeliveries(t.database)).toBe(0);
  });

  it("makes room for its address again [webhooks.delete]", async () => {
    const made = await createEndpoint(t, store);
    await remove(made.id);
    const again = await createEndpoint(t, store, { url: made.url, topics: ["quiz.started"] });
    expect(again.id).not.toBe(made.id);
  });
});
