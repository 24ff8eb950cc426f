import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { orderLines, orderRow, postWebhook, shopOrder, shopTime } from "../../testkit/commerce.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import type { ScriptedEvent } from "../../testkit/histories.ts";
import { choose, enter, opened, say } from "../../testkit/session-scripts.ts";
import { recently, send, sessionId, sessionRow, visitorId } from "../../testkit/storefront.ts";
import { parseId } from "../platform/ids.ts";

let t: TestApp;
let store: TestStore;
let shop: FinderShop;
let now: number;
beforeAll(async () => {
  t = await openTestApp();
  now = t.calendar.now();
});
afterAll(() => t.close());
beforeEach(async () => {
  shop = await openFinderShop(t);
  store = shop.store;
});

const minute = 60_000;
const day = 1440 * minute;
const uuid = (number: number) => parseId("sess", sessionId(number));

interface Taken {
  visitor?: number;
  minutesAgo?: number;
  preview?: boolean;
  email?: string;
  phone?: string;
  more?: ScriptedEvent[];
}

/** A session that answers its first question, `minutesAgo` minutes before now, and leaves what is given. */
async function take(number: number, given: Taken = {}): Promise<void> {
  const { visitor = number, minutesAgo = 60, preview = false, email, phone, more = [] } = given;
  const contact = [
    ...(email === undefined ? [] : [say("contact", "mail", email, { consent: true })]),
    ...(phone === undefined ? [] : [say("contact", "phone", phone)]),
  ];
  await shop.take(number, [...contact, ...more], { visitor, minutesAgo, session: { preview } });
}

const post = (topic: string, payload: unknown) => postWebhook(t, store, { topic, payload });
const create = async (id: number, given: Parameters<typeof shopOrder>[2] = {}, at = now) => {
  expect((await post("orders/create", shopOrder(id, at, given))).status).toBe(200);
};
const inCart = (name: string, value: string) => ({ note_attributes: [{ name, value }] });
const inLine = (number: number) => ({ properties: [{ name: "_quiz_session", value: sessionId(number) }] });
const link = async (id: number) => {
  const row = await orderRow(t, store, id);
  return row && [row.matched_tier, row.session_id];
};

describe("matching an order", () => {
  it("goes by line, cart, visitor, email, phone, the first that matches [orders.tiers]", async () => {
    await take(1, { minutesAgo: 500 });
    await take(2, { minutesAgo: 400 });
    await take(3, { minutesAgo: 300 });
    await take(4, { minutesAgo: 200, email: "ann@example.com" });
    await take(5, { minutesAgo: 100, phone: "+12025550123" });
    const phone = { phone: "+1 (202) 555-0123" };
    const email = { ...phone, email: "ANN@example.com" };
    const visitor = { ...email, ...inCart("_quiz_visitor", visitorId(3)) };
    const cart = {
      ...email,
      note_attributes: [...visitor.note_attributes, ...inCart("_quiz_session", sessionId(2)).note_attributes],
    };
    const line = { ...cart, lines: [{}, inLine(1)] };
    for (const [index, given] of [line, cart, visitor, email, phone, {}].entries()) await create(index + 1, given);
    expect([await link(1), await link(2), await link(3), await link(4), await link(5), await link(6)]).toEqual([
      ["line_item", uuid(1)],
      ["cart", uuid(2)],
      ["visitor", uuid(3)],
      ["email", uuid(4)],
      ["phone", uuid(5)],
      [null, null],
    ]);
  });

  it("takes the newest session of a tier that was started before the order [orders.tiers]", async () => {
    await take(1, { visitor: 9, minutesAgo: 300 });
    await take(2, { visitor: 9, minutesAgo: 200 });
    await take(3, { visitor: 9, minutesAgo: 100 });
    await create(1, inCart("_quiz_visitor", visitorId(9)), now - 150 * minute);
    await create(2, inCart("_quiz_visitor", visitorId(9)), now - 400 * minute);
    await create(3, { lines: [inLine(3), inLine(1), inLine(2)] }, now - 150 * minute);
    expect([await link(1), await link(2), await link(3)]).toEqual([
      ["visitor", uuid(2)],
      [null, null],
      ["line_item", uuid(2)],
    ]);
  });

  it("takes a session of the second of the order, since the platform has whole seconds [orders.window]", async () => {
    t.calendar.advance(700);
    now = t.calendar.now();
    await take(1, { minutesAgo: 0 });
    await create(1, { lines: [inLine(1)] });
    expect(await link(1)).toEqual(["line_item", uuid(1)]);
  });

  it("reaches back 90 days and no further [orders.window]", async () => {
    const start = Math.floor(now / 1000) * 1000 - 100 * day;
    // sent when it happened: older than 72 hours it would not be taken
    t.calendar.advance(start - now);
    await take(1, { minutesAgo: 0 });
    t.calendar.advance(now - start);
    expect((await sessionRow(t, store, sessionId(1)))?.started_at).toEqual(new Date(start));
    await create(1, { lines: [inLine(1)] }, start + 90 * day);
    await create(2, { lines: [inLine(1)] }, start + 90 * day + 1000);
    expect([await link(1), await link(2)]).toEqual([
      ["line_item", uuid(1)],
      [null, null],
    ]);
  });

  it("never takes a preview, nor a session without an answer, and goes on to the next tier [orders.window]", async () => {
    await take(1, { preview: true });
    await take(2, { visitor: 5 });
    const events = recently(t, [opened()], { minutesAgo: 50, firstId: 300 });
    await send(t, store, shop.quiz, events, { session: { id: sessionId(3), visitor_id: visitorId(5) } });
    await create(1, { lines: [inLine(1), inLine(3)], ...inCart("_quiz_visitor", visitorId(5)) });
    expect(await link(1)).toEqual(["visitor", uuid(2)]);
  });

  it("takes a session that starts after the order came, whatever visitor its requests name [orders.rematch]", async () => {
    const before = recently(t, [opened({ min: 0 })], { minutesAgo: 50, firstId: 100 });
    await send(t, store, shop.quiz, before, { session: { id: sessionId(1), visitor_id: visitorId(5) } });
    await create(1, inCart("_quiz_visitor", visitorId(5)));
    expect(await link(1)).toEqual([null, null]);
    await shop.take(1, [enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1)], { visitor: 6, part: 1 });
    expect(await link(1)).toEqual(["visitor", uuid(1)]);
  });

  it("knows no session of another store [orders.window]", async () => {
    await take(1, { email: "ann@example.com" });
    store = await t.store();
    await create(1, { lines: [inLine(1)], email: "ann@example.com" });
    expect(await orderRow(t, store, 1)).toMatchObject({ matched_tier: null, profile_id: null });
  });
});

describe("lines", () => {
  const shown: ScriptedEvent = {
    type: "products_shown",
    page_key: "result",
    block_key: "picks",
    products: [{ product_id: "gid://shopify/Product/1" }, { product_id: "gid://shopify/Product/2" }],
  };
  const added: ScriptedEvent = { type: "product_added", product_id: "gid://shopify/Product/2", quantity: 1 };
  const lines = [
    { ...inLine(1), product_id: 8 },
    { product_id: 1 },
    { product_id: 2 },
    { product_id: 3 },
    { product_id: null },
  ];
  const buckets = async (id: number) => (await orderLines(t, store, id)).map((line) => line.bucket);
  const all = ["added_from_quiz", "shown_bought_later", "added_from_quiz", "bought_not_shown", "bought_not_shown"];

  it("fall into their buckets [orders.buckets]", async () => {
    await take(1, { more: [enter("result"), shown, added] });
    await create(1, { lines });
    expect(await buckets(1)).toEqual(all);
  });

  it("fall into them when the session shows or adds a product only later [orders.buckets]", async () => {
    await take(1);
    await create(1, { lines });
    const none = "bought_not_shown";
    expect(await buckets(1)).toEqual(["added_from_quiz", none, none, none, none]);
    const late = recently(t, [enter("result", "next", { seq: 9 }), shown, added], { minutesAgo: 30, firstId: 150 });
    await send(t, store, shop.quiz, late);
    expect(await buckets(1)).toEqual(all);
  });

  it("have none without a session [orders.buckets]", async () => {
    await create(1, { lines });
    expect(await buckets(1)).toEqual([null, null, null, null, null]);
  });
});

describe("messages in any order", () => {
  const at = () => Math.floor(now / 1000) * 1000 - day;
  const created = () => shopOrder(1, at(), { total_price: "10.00" });
  const updated = () => shopOrder(1, at(), { total_price: "12.00", updated_at: shopTime(at() + minute) });
  const cancelled = () =>
    shopOrder(1, at(), {
      total_price: "12.00",
      updated_at: shopTime(at() + minute),
      cancelled_at: shopTime(at() + minute),
      lines: [{}, { product_id: 5 }],
    });

  it("give the same row: what is older than what is kept changes nothing [orders.newest]", async () => {
    const messages: [string, () => object][] = [
      ["orders/create", created],
      ["orders/updated", updated],
      ["orders/cancelled", cancelled],
    ];
    const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [2], [0, 0, 2, 2, 1, 0]];
    for (const order of orders) {
      store = await t.store();
      for (const index of order) await post(messages[index]?.[0] ?? "", messages[index]?.[1]());
      const row = await orderRow(t, store, 1);
      expect([order, row]).toEqual([order, { ...row, total: "12.00", cancelled_at: new Date(at() + minute) }]);
      expect((await orderLines(t, store, 1)).map((line) => line.product_id)).toEqual([
        "gid://shopify/Product/632910392",
        "gid://shopify/Product/5",
      ]);
    }
  });
});
