import { afterAll, beforeAll, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint, putDelivery, rowOf } from "../../testkit/endpoints.ts";
import { exportRow, filesIn, putExport, storageOf } from "../../testkit/exports.ts";
import { waitsForLock } from "../../testkit/races.ts";
import { countRows } from "../../testkit/storefront.ts";
import { reconnectStore } from "../stores/admin.ts";
import { assertConnected } from "../stores/public.ts";
import { disconnect } from "./disconnect.ts";
import { erasureDeps } from "./erasure.ts";

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

it("ends every personal token of a store for good, and none of another [command-line.disconnect, accounts.token-rights]", async () => {
  const [store, other] = [await t.store(), await t.store()];
  const ada = await signedIn(t, "ada@disconnect.example", { store, role: "owner" });
  const otto = await signedIn(t, "otto@disconnect.example", { store: other, role: "owner" });
  const expires_at = new Date(t.calendar.now() + 86_400_000).toISOString();
  const tokenFor = async (browser: Browser, { id: store_id }: TestStore) =>
    (await browser.request("POST", "/me/tokens", { body: { name: "Assistant", store_id, expires_at } })).body.token;
  const [token, theirs] = [await tokenFor(ada, store), await tokenFor(otto, other)];
  const statusOf = async (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}` };
    return (await t.request("GET", "/dashboard/api/v1/store", { headers })).status;
  };
  expect([await statusOf(token), await statusOf(theirs)]).toEqual([200, 200]);
  await t.database.transaction((tx) => disconnect(tx, t.foundations, store.uuid));
  await t.database.transaction((tx) => reconnectStore(tx, store.uuid));
  expect([await statusOf(token), await statusOf(theirs)]).toEqual([401, 200]);
});

it("waits for changes that found the store connected, and later ones wait for it [dashboard-api.rights-kept]", async () => {
  const store = await t.store();
  const run = () => t.database.transaction((tx) => disconnect(tx, t.foundations, store.uuid));
  const done: string[] = [];
  const disconnected = await t.database.transaction(async (tx) => {
    await assertConnected(tx, { id: store.uuid });
    const running = run().then(() => done.push("disconnected"));
    await waitsForLock(t);
    // another change of the store goes on meanwhile: what is held is its connection alone
    await assertConnected(t.database.reader(), { id: store.uuid });
    done.push("changed");
    return [running];
  });
  await Promise.all(disconnected);
  expect(done).toEqual(["changed", "disconnected"]);
  await t.database.transaction((tx) => reconnectStore(tx, store.uuid));
  const key = await t.key(store, ["quizzes:write"]);
  t.passTime(60_000);
  const answers = await t.database.transaction(async (tx) => {
    await disconnect(tx, t.foundations, store.uuid);
    const sent = t.request("POST", "/v1/quizzes", { key, body: { name: "Late", template_id: "finder" } });
    await waitsForLock(t);
    return [sent];
  });
  expect((await Promise.all(answers)).map(({ status, body }) => [status, body.title])).toEqual([
    [401, "invalid_api_key"],
  ]);
  expect(await countRows(t, store, "quizzes")).toBe(0);
});

it("reaches the exports, as an erasure does [exports.erasure, exports.disconnect]", async () => {
  const shop = await t.store();
  const [people, answers] = [await putExport(t, shop, { dataset: "profiles" }), await putExport(t, shop)];
  const nobody = {
    profileIds: [],
    sessionIds: [],
    answers: [],
    openings: [],
    lines: [],
    search: { holds: () => false },
    orderIds: [],
  };
  await t.database.transaction(async (tx) => {
    const eraser = erasureDeps(t.foundations).erasers.find(({ name }) => name === "exports");
    await eraser?.forgetPeople(tx.forStore(shop.uuid), { ...nobody, emails: ["ann@x.example"], phones: [] });
  });
  for (const id of [people, answers]) expect((await exportRow(t, shop, id)).status).toBe("expired");
  const figures = await putExport(t, shop, { dataset: "quiz_analytics" });
  await t.database.transaction((tx) => disconnect(tx, t.foundations, shop.uuid));
  expect((await exportRow(t, shop, figures)).status).toBe("expired");
  expect((await filesIn(storageOf(t))).filter((name) => name.startsWith(shop.uuid))).toHaveLength(3);
});
