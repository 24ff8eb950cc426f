import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import { say } from "../../testkit/session-scripts.ts";
import { sessionId } from "../../testkit/storefront.ts";
import { rematchOrders } from "../orders/ingest.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { listMerges, type Unmerged, unmerge } from "./unmerge.ts";

let t: TestApp;
let store: TestStore;
let shop: FinderShop;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  shop = await openFinderShop(t);
  store = shop.store;
});

const ann = "ann@example.com";
const tel = "+12025550123";
const email = (value: string) => say("contact", "mail", value, { consent: true });
const phone = (value: string) => say("contact", "phone", value);

/** Each session begins 50 minutes after the one before. */
const take = (number: number, contacts: ReturnType<typeof say>[], visitor = number) =>
  shop.take(number, contacts, { visitor, minutesAgo: 500 - 50 * number });
const order = async (id: number, given: object) =>
  expect(
    (await postWebhook(t, store, { topic: "orders/create", payload: shopOrder(id, t.calendar.now(), { ...given }) }))
      .status,
  ).toBe(200);

const people = async (): Promise<Body[]> => (await t.request("GET", "/v1/profiles", { key: store.key })).body.data;
const idOf = async (contact: string): Promise<string> =>
  (await people()).find((one) => one.email === contact || one.phone === contact)?.id;
/** Contacts, sessions and orders of everybody. */
async function told() {
  const all: Record<string, unknown> = {};
  for (const { id } of await people()) {
    const { body } = await t.request("GET", `/v1/profiles/${id}`, { key: store.key });
    all[id] = {
      contacts: body.identities.map(({ value, consent }: Body) => [value, consent]),
      sessions: body.sessions.map(({ session_id }: Body) => session_id).sort(),
      orders: body.orders.map(({ order_id }: Body) => order_id).sort(),
      spent: body.spent.amount,
      returning_count: body.returning_count,
    };
  }
  return all;
}
const part = (profileId: string): Promise<Unmerged> =>
  t.database.transaction((tx) =>
    unmerge(tx.forStore(store.uuid), parseId("prof", profileId) ?? "", {
      now: t.calendar.now(),
      random: t.foundations.random,
      rematchOrders,
    }),
  );
const updates = () =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all<{ profile_id: string; data: Body }>(
      sql`SELECT profile_id, data FROM outbox WHERE store_id = ${ownStore} AND topic = 'profile.updated' ORDER BY created_at`,
    );

describe("parting people who were made one", () => {
  it("gives contacts, sessions and orders back, and brings the person back who was gone [people.unmerge]", async () => {
    await take(1, [phone(tel)]);
    await take(2, [email(ann)]);
    await order(1, { phone: tel, total_price: "3.00" });
    await order(2, { email: ann, total_price: "4.00" });
    const [withPhone, withEmail] = [await idOf(tel), await idOf(ann)];
    const before = await told();
    await take(3, [email(ann), phone(tel)], 1);
    expect(Object.keys(await told())).toEqual([withEmail]);
    // typed since, and with nothing else: goes with the phone
    await take(4, [phone(tel)]);

    const parted = await part(withPhone);
    expect(parted).toMatchObject({ restored: true, identities: 1, sessions: 2, orders: 2 });
    const after = await told();
    expect(after[withPhone]).toEqual({
      ...(before[withPhone] as object),
      sessions: [1, 4].map(sessionId),
      returning_count: 1,
    });
    expect(after[withEmail]).toMatchObject({ sessions: [2, 3].map(sessionId), orders: ["gid://shopify/Order/2"] });
    const heard = (await updates()).slice(-2).map(({ data }) => data["identities"].map(({ value }: Body) => value));
    expect(heard.sort()).toEqual([[tel], [ann]].sort());
    expect(await listMerges(t.database.reader().forStore(store.uuid))).toMatchObject([
      { confirmed_by: "visitor", gone: true, undone_at: expect.any(String) },
    ]);
  });

  it("leaves them two, whatever is typed and ordered afterwards [people.unmerge]", async () => {
    await take(1, [phone(tel)]);
    await take(2, [email(ann)]);
    await take(3, [email(ann), phone(tel)], 1);
    await part(await idOf(ann));
    const parted = Object.keys(await told());
    await take(4, [phone(tel), email(ann)], 1);
    await order(1, { email: ann, phone: tel });
    expect(Object.keys(await told()).sort()).toEqual(parted.sort());
    await expect(part(parted[0] ?? "")).rejects.toThrow("undone before");
  });

  it("gives a phone back to a person who had stayed [people.unmerge]", async () => {
    await take(1, [email("bob@example.com"), phone(tel)]);
    await take(2, [email(ann)]);
    const before = await told();
    await take(3, [email(ann), phone(tel)], 1);
    expect(await part(await idOf("bob@example.com"))).toMatchObject({ restored: false, identities: 1, sessions: 0 });
    expect((await told())[await idOf("bob@example.com")]).toEqual(before[await idOf("bob@example.com")]);
  });

  it("refuses plainly where it cannot be [people.unmerge]", async () => {
    await take(1, [phone(tel)]);
    await take(2, [email(ann)]);
    const gone = await idOf(tel);
    await expect(part(gone)).rejects.toThrow("was never merged");
    await take(3, [email(ann), phone(tel)], 1);
    await take(4, [phone("+12025550199")]);
    await take(5, [email(ann), phone("+12025550199")], 4);
    await expect(part(await idOf(ann))).rejects.toThrow("several people");
    await erasePersonIn(t, store, await idOf(ann));
    await expect(part(gone)).rejects.toThrow("erased since");
  });
});
