import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { createEndpoint, putDelivery, rowOf } from "../../testkit/endpoints.ts";
import { countRows } from "../../testkit/storefront.ts";
import { disconnect } from "./disconnect.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

it("revokes every key of a store and deletes every endpoint, and touches no other store [command-line.disconnect]", async () => {
  const [store, other] = [await t.store(), await t.store()];
  for (let n = 0; n < 2; n += 1) await putDelivery(t, store, (await createEndpoint(t, store)).id);
  const theirs = await createEndpoint(t, other);
  const run = () => t.database.transaction((tx) => disconnect(tx, t.foundations, store.uuid));
  expect(await run()).toEqual({ store_id: store.id, keys_revoked: 1, endpoints_deleted: 2 });
  expect(await countRows(t, store, "webhook_endpoints")).toBe(0);
  expect(await countRows(t, store, "webhook_deliveries")).toBe(0);
  expect(await rowOf(t, other, theirs.id)).toMatchObject({ status: "enabled" });
  expect(await run()).toEqual({ store_id: store.id, keys_revoked: 0, endpoints_deleted: 0 });
  t.passTime(60_000);
  expect((await t.request("GET", "/v1/webhooks", { key: store.key })).status).toBe(401);
});
