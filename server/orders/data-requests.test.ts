import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import { say } from "../../testkit/session-scripts.ts";
import { answerDataRequest } from "./data-requests.ts";
import { listDataRequests } from "./requests.ts";

let t: TestApp;
let store: TestStore;
let take: FinderShop["take"];
const folder = mkdtempSync(join(tmpdir(), "quizstore-data-request-"));
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(async () => {
  await t.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  ({ store, take } = await openFinderShop(t));
});

const ask = async (customer: object, orders_requested: number[] = []) =>
  expect(
    (await postWebhook(t, store, { topic: "customers/data_request", payload: { customer, orders_requested } })).status,
  ).toBe(200);
const answer = (requestId: string, out: string) =>
  answerDataRequest(t.foundations, { id: store.uuid, name: "Shop" }, { requestId, out });

it("answers a customer with everything that is stored about them, once, and forgets whom it was about [command-line.data-request, orders.privacy-requests]", async () => {
  await take(1, [say("contact", "mail", "ann@example.com", { consent: true }), say("contact", "remark", "of Ann")]);
  await take(2, [say("contact", "mail", "bob@example.com"), say("contact", "remark", "of Bob")]);
  await postWebhook(t, store, {
    topic: "orders/create",
    payload: shopOrder(7, t.calendar.now(), { email: "ann@example.com" }),
  });
  await ask({ id: 1, email: "Ann@example.com", phone: null }, [7]);
  const [request] = await listDataRequests(t.database.reader().forStore(store.uuid));
  expect(request).toEqual({ request_id: expect.any(String), received_at: expect.any(String), answered_at: null });
  const out = join(folder, "ann.json");
  expect(await answer(request?.request_id ?? "", out)).toMatchObject({ out, answered_at: expect.any(String) });
  expect(statSync(out).mode & 0o777).toBe(0o600);
  const file = JSON.parse(readFileSync(out, "utf8"));
  expect(file).toMatchObject({
    asked_for: { emails: ["ann@example.com"], order_ids: ["gid://shopify/Order/7"] },
    profiles: [{ sessions_count: 1, orders_count: 1 }],
    identities: [{ value: "ann@example.com", consent: true }],
    orders: [{ gid: "gid://shopify/Order/7" }],
    order_keys: [{ value: "ann@example.com" }],
    order_lines: [{ title: "Calming cream" }],
  });
  expect(file.session_events).toHaveLength(5);
  expect(file.outbox.length).toBeGreaterThan(1);
  expect(JSON.stringify(file)).toContain("of Ann");
  expect(JSON.stringify(file)).not.toMatch(/of Bob|bob@/);

  expect((await listDataRequests(t.database.reader().forStore(store.uuid)))[0]?.answered_at).not.toBeNull();
  await expect(answer(request?.request_id ?? "", join(folder, "again.json"))).rejects.toThrow("no data request");
  await expect(answer("nonsense", join(folder, "again.json"))).rejects.toThrow("is not the id of a data request");
});

it("hands out nothing of a person to whose email somebody else typed a phone [command-line.data-request]", async () => {
  await take(1, [say("contact", "mail", "ann@example.com"), say("contact", "remark", "of Ann")]);
  await take(2, [say("contact", "mail", "ann@example.com"), say("contact", "phone", "+12025550123")]);
  await ask({ id: 1, email: null, phone: "+12025550123" });
  const [request] = await listDataRequests(t.database.reader().forStore(store.uuid));
  const out = join(folder, "stranger.json");
  await answer(request?.request_id ?? "", out);
  expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({
    identities: [{ value: "+12025550123" }],
    sessions: [],
  });
  expect(readFileSync(out, "utf8")).not.toMatch(/of Ann|ann@/);
});

it("leaves the request open where the file cannot be written [command-line.data-request]", async () => {
  await ask({ id: 1, email: "ann@example.com", phone: null });
  const [request] = await listDataRequests(t.database.reader().forStore(store.uuid));
  await expect(answer(request?.request_id ?? "", folder)).rejects.toThrow(/exists|cannot be written/);
  expect((await listDataRequests(t.database.reader().forStore(store.uuid)))[0]?.answered_at).toBeNull();
});
