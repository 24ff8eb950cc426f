import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { planVisit, type Shopper, type Takes } from "./buyer.ts";
import { creamId, creamVariant, oilId, shortQuiz } from "./documents.ts";
import type { Client, ListOf, Person, PersonDetail } from "./http.ts";
import { type Place, until } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { importLines, openShop, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type OrderFacts, offsetTime, order, type Payload, product, Shopify, wholeSecond } from "./shopify.ts";
import { type Live, newId } from "./visit.ts";

/** From a quiz to a purchase: the shop's own webhooks arrive, and the shopper's page shows the order. */

const minute = 60_000;
const day = 24 * 60 * minute;

let program: Place;
let shop: Shop;
let shopify: Shopify;
let api: Client;
let live: Live;

beforeAll(async () => {
  program = await sharedProgram();
  ({ shop, api } = await openShopWithKey(program, { limits: { capacity: 100_000, leak_per_second: 10_000 } }));
  shopify = new Shopify(program, shop);
  live = await publishQuiz(program, shop, shortQuiz, "Short quiz");
}, 120_000);

/** Takes the quiz, twenty minutes ago unless told otherwise. */
async function shopper(mail: string, takes: Takes = {}): Promise<Shopper> {
  const planned = planVisit(live, mail, takes);
  const answer = await planned.shopper.visit.send(...planned.events);
  expect(answer.body).toEqual({ accepted: planned.events.length, duplicates: 0, rejected: [] });
  return planned.shopper;
}

async function tell(topic: string, payload: Payload, sent = {}): Promise<void> {
  const answer = await shopify.send(topic, payload, sent);
  expect([topic, Math.floor(answer.status / 100)], answer.text).toEqual([topic, 2]);
}

async function buy(facts: OrderFacts): Promise<Payload> {
  const payload = order(facts);
  await tell("orders/create", payload);
  return payload;
}

async function listed(query: string): Promise<Person[]> {
  const answer = await api.get<ListOf<Person>>(`/v1/profiles?limit=100&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

async function detailOf(q: string): Promise<PersonDetail> {
  const [found, ...others] = await listed(`q=${encodeURIComponent(q)}`);
  expect(others).toEqual([]);
  const answer = await api.get<PersonDetail>(`/v1/profiles/${found?.id}`);
  expect(answer.status, `${q} ${answer.text}`).toBe(200);
  return answer.body;
}

const withOrders = (q: string, orders: number): Promise<PersonDetail> =>
  until(
    () => detailOf(q),
    (person) => person.orders_count === orders,
  );

let markers = 0;

/** Until everything told so far has been worked off: a later order shows. */
async function settled(): Promise<void> {
  if (markers === 0) await shopper("marker@example.com");
  markers += 1;
  await buy({ at: Date.now(), total: "1.00", email: "marker@example.com" });
  expect((await withOrders("marker@example.com", markers)).orders_count).toBe(markers);
}

const gid = ({ id }: Payload): string => `gid://shopify/Order/${id}`;
const euros = (amount: string) => ({ amount, currency: "EUR" });
const sessionOf = (name: string) => ({ name: "_quiz_session", value: name });
const visitorOf = (name: string) => ({ name: "_quiz_visitor", value: name });
const linkedTo = (person: PersonDetail) =>
  (person.orders as Record<string, unknown>[]).map((one) => [one["order_id"], one["matched_tier"], one["session_id"]]);

describe("a shopper who is shown products, adds one and buys it", () => {
  const mail = "ada.buyer@example.com";
  let ada: Shopper;
  let bought: Payload;

  beforeAll(async () => {
    const small = { id: 1010, title: "Small", price: "9.90" };
    const large = { id: 1011, title: "Large", price: "19.90" };
    await tell(
      "products/create",
      product({ id: 101, title: "Cream", image: "https://img.example/c.png", variants: [small, large] }),
    );
    await tell(
      "products/create",
      product({ id: 102, title: "Oil", variants: [{ id: 1020, title: "One", price: "7.00" }] }),
    );
    ada = await shopper(mail);
    const added = { product_id: creamId, variant_id: creamVariant, quantity: 2 };
    await ada.visit.send(ada.visit.event("product_added", added));
    const cream = { product: 101, variant: 1011, price: "19.90", quantity: 2, discount: "3.98", title: "Cream" };
    bought = await buy({
      ...{ at: ada.finishedAt + 4.5 * minute, name: "#1001", total: "43.32", email: "pays.otherwise@example.com" },
      ...{ presentment: { currency: "CHF", total: "40.11" }, attributes: [{ name: "gift", value: "yes" }] },
      lines: [
        { ...cream, properties: [{ name: "Engraving", value: "A & B" }, sessionOf(ada.sess)] },
        { product: null, price: "7.50", title: "Gift wrapping" },
      ],
    });
    await withOrders(mail, 1);
  });

  it("has the products on the result page as the shop's webhooks describe them [people.result-page, orders.catalog]", async () => {
    const [result] = (await detailOf(mail)).latest_results;
    const cream = { handle: "cream", title: "Cream", image: "https://img.example/c.png", currency: "EUR", price: 19.9 };
    const oil = { handle: "oil", title: "Oil", image: null, currency: "EUR", price: 7 };
    expect(result?.result_page?.["shown_products"]).toEqual([
      { block_key: "block", product_id: creamId, variant_id: creamVariant, variant_title: "Large", ...cream },
      { block_key: "block", product_id: oilId, variant_id: null, variant_title: null, ...oil },
    ]);
  });

  const seen = () => ({
    ...{ order_id: gid(bought), order_name: "#1001", amount: euros("43.32"), matched_tier: "line_item" },
    created_at: wholeSecond(ada.finishedAt + 4.5 * minute),
  });

  it("has the order in the detail, and in the session that led to it [orders.figures, orders.minutes-after]", async () => {
    const person = await detailOf(mail);
    expect(person.orders).toEqual([
      { ...seen(), quiz_id: live.quiz_id, quiz_name: "Short quiz", session_id: ada.sess },
    ]);
    expect(person.sessions.map((session) => session.order)).toEqual([{ ...seen(), minutes_after: 4 }]);
    expect(person).toMatchObject({ orders_count: 1, spent: euros("43.32"), last_order_at: seen().created_at });
    // who paid with another address is not known by it
    expect(person.identities.map(({ value }) => value)).toEqual([mail]);
    expect(await listed("q=pays.otherwise")).toEqual([]);
  });

  it("shows in the list and in the search alike [orders.figures, people.list]", async () => {
    const rows = await listed(`q=ada.buyer&has_order=true&quiz_id=${live.quiz_id}`);
    expect(rows).toEqual([
      {
        ...{ id: expect.stringMatching(/^prof_/), email: mail, phone: null, removed: false, returning: false },
        ...{ first_seen_at: expect.any(String), last_seen_at: expect.any(String), last_order_at: seen().created_at },
        ...{ completed_count: 1, orders_count: 1, sessions_count: 1, spent: euros("43.32") },
        quizzes: [{ id: live.quiz_id, name: "Short quiz" }],
      },
    ]);
    const found = await api.post<ListOf<Person>>("/v1/profiles/search?limit=100", { has_order: true });
    expect(found.body.data.filter(({ email }) => email === mail)).toEqual(rows);
  });
});

describe("an order is matched by", () => {
  const tiers: [string, Takes, (buyer: Shopper) => Partial<OrderFacts>][] = [
    ["line_item", {}, ({ sess }) => ({ lines: [{ product: 9, price: "5.00", properties: [sessionOf(sess)] }] })],
    ["cart", {}, ({ sess }) => ({ attributes: [{ name: "note", value: "" }, sessionOf(sess)] })],
    ["visitor", {}, ({ vis }) => ({ attributes: [visitorOf(vis)] })],
    ["email", {}, ({ mail }) => ({ email: mail.replace("tier", "Tier").toUpperCase() })],
    ["phone", { tel: "+4915112345670" }, () => ({ phone: "+4915112345670", customer: false })],
  ];

  for (const [tier, takes, facts] of tiers) {
    it(`${tier}, each with its own shopper [orders.tiers]`, async () => {
      const mail = `tier.${tier}@example.com`;
      const buyer = await shopper(mail, takes);
      const at = buyer.finishedAt + 2 * minute + 2000;
      const bought = await buy({ at, total: "5.00", email: null, ...facts(buyer) });
      const person = await withOrders(mail, 1);
      expect(linkedTo(person)).toEqual([[gid(bought), tier, buyer.sess]]);
      expect(person.sessions[0]?.order).toMatchObject({ matched_tier: tier, minutes_after: 2 });
      expect(person.spent).toEqual(euros("5.00"));
    });
  }

  it("the first of the tiers that matches, whatever else it carries [orders.tiers]", async () => {
    const at = Date.now();
    const name = (n: number) => `prefer.${n}@example.com`;
    const some = await Promise.all(
      [0, 1, 2, 3, 4].map((n) => shopper(name(n), n === 4 ? { tel: "+4915112345680" } : {})),
    );
    const [a, b, c, d] = some as [Shopper, Shopper, Shopper, Shopper, Shopper];
    const all = (from: number): Partial<OrderFacts> => ({
      ...(from < 1 ? { lines: [{ product: 9, price: "2.00", properties: [sessionOf(a.sess)] }] } : {}),
      attributes: [...(from < 2 ? [sessionOf(b.sess)] : []), ...(from < 3 ? [visitorOf(c.vis)] : [])],
      ...(from < 4 ? { email: d.mail } : {}),
      phone: "+4915112345680",
    });
    for (const n of [0, 1, 2, 3, 4]) await buy({ at, total: "2.00", ...all(n) });
    await settled();
    const tierOf = ["line_item", "cart", "visitor", "email", "phone"];
    for (const [n, { sess }] of some.entries()) {
      const links = linkedTo(await detailOf(name(n))).map(([, ...link]) => link);
      expect([n, links]).toEqual([n, [[tierOf[n], sess]]]);
    }
  });

  it("the newest session begun before it and not older than 90 days, else the person alone [orders.window, orders.holder]", async () => {
    const now = Date.now();
    const mail = "comes.back@example.com";
    const taken = [now - 91 * day, now - 60 * day, now - 2 * day].map((from) => planVisit(live, mail, { from }));
    await importLines(
      program.data,
      "events",
      shop.store_id,
      taken.map(({ shopper: { visit }, events }) => visit.line(events)),
    );
    const [old, middle, late] = taken.map(({ shopper: { sess } }) => sess);
    const between = await buy({ at: now - 10 * day, total: "1.10", email: mail });
    const after = await buy({ at: now - day, total: "2.20", email: mail });
    const noSession = await buy({ at: now - 95 * day, total: "4.40", email: mail });
    const tooOld = await buy({ at: now, total: "8.80", attributes: [sessionOf(old ?? "")] });
    const notYet = await buy({ at: now - 30 * day, total: "3.30", email: mail, attributes: [sessionOf(late ?? "")] });
    await settled();
    const person = await detailOf(mail);
    expect(linkedTo(person)).toEqual([
      [gid(after), "email", late],
      [gid(between), "email", middle],
      [gid(notYet), "email", middle],
      [gid(noSession), "email", null],
    ]);
    expect(JSON.stringify(person)).not.toContain(gid(tooOld));
    expect(person.orders.at(-1)).toMatchObject({ quiz_id: null, quiz_name: null, session_id: null });
    expect(person).toMatchObject({ orders_count: 4, spent: euros("11.00"), returning: true, returning_count: 2 });
    expect(person.last_order_at).toBe(wholeSecond(now - day));
    expect(person.sessions.find(({ session_id }) => session_id === old)?.order).toBeNull();
    expect((await listed(`q=comes.back`))[0]).toMatchObject({ returning: true, orders_count: 4 });
  });

  it("its session's contact once that arrives [orders.rematch]", async () => {
    const waits = await shopper("", { contact: false, finishes: false });
    const at = waits.startedAt + 7 * minute + 2000;
    const named = await buy({ at, total: "12.00", attributes: [sessionOf(waits.sess)] });
    const mailed = await buy({ at: at + minute, total: "3.00", email: "late.contact@example.com" });
    await settled();
    await waits.visit.send(waits.visit.wrote("contact", "mail", "late.contact@example.com"));
    const person = await withOrders("late.contact@example.com", 2);
    expect(linkedTo(person)).toEqual([
      [gid(mailed), "email", waits.sess],
      [gid(named), "cart", waits.sess],
    ]);
    expect(person.spent).toEqual(euros("15.00"));
    // the session was not completed: counted from its start
    const shown = person.sessions[0]?.order as { order_id: string; minutes_after: number };
    expect(shown.minutes_after).toBe(shown.order_id === gid(named) ? 7 : 8);
  });

  it("the person alone who takes the first quiz after it [orders.holder, orders.rematch]", async () => {
    const bought = await buy({ at: Date.now() - 2 * day, total: "6.00", email: "first.buys@example.com" });
    await settled();
    await shopper("first.buys@example.com");
    const person = await withOrders("first.buys@example.com", 1);
    expect(linkedTo(person)).toEqual([[gid(bought), "email", null]]);
    expect(person.sessions[0]?.order).toBeNull();
  });

  it("the person who holds its email where its session is nobody's [orders.holder]", async () => {
    const { mail } = await shopper("holds.it@example.com");
    const nobody = await shopper("", { contact: false });
    const bought = await buy({ at: Date.now(), total: "6.00", email: mail, attributes: [sessionOf(nobody.sess)] });
    expect(linkedTo(await withOrders(mail, 1))).toEqual([[gid(bought), "email", null]]);
  });

  it("whoever its person has become part of [people.merge, orders.rematch]", async () => {
    const tel = "+4915112345690";
    const visitor = newId("vis");
    const byPhone = await shopper("", { contact: false, tel, visitor });
    const bought = await buy({ at: Date.now(), total: "6.00", phone: tel });
    const { id } = await withOrders(tel, 1);
    await shopper("stays.one@example.com", { from: Date.now() - 50 * minute });
    // the visitor who had brought the phone confirms that the two are one
    await shopper("stays.one@example.com", { from: Date.now() - 40 * minute, tel, visitor });
    const person = await withOrders("stays.one@example.com", 1);
    expect(linkedTo(person)).toEqual([[gid(bought), "phone", byPhone.sess]]);
    expect(person).toMatchObject({ sessions_count: 3, spent: euros("6.00"), quizzes_taken_count: 1 });
    expect((await api.get(`/v1/profiles/${id}`)).status).toBe(404);
  });
});

describe("an order's later life", () => {
  const facts = (mail: string, total: string, more: Partial<OrderFacts> = {}): OrderFacts => ({
    ...{ at: Date.now() - 5 * minute, total, email: mail },
    ...more,
  });

  it("is not changed by a webhook whose id came before, and no order counts twice [orders.repeats, orders.newest]", async () => {
    const { mail } = await shopper("repeats@example.com");
    const first = order(facts(mail, "20.00"));
    const id = randomUUID();
    await tell("orders/create", first, { id });
    await withOrders(mail, 1);
    const before = await detailOf(mail);
    await tell("orders/create", first, { id });
    await tell("orders/updated", { ...first, total_price: "99.00", updated_at: offsetTime(Date.now()) }, { id });
    await tell("orders/create", order(facts(mail, "50.00")), { id });
    await tell("orders/create", first);
    await settled();
    expect(await detailOf(mail)).toEqual(before);
  });

  it("changes its amount with orders/updated; refunds are not subtracted [orders.newest]", async () => {
    const { mail } = await shopper("updates@example.com");
    const { id } = await buy(facts(mail, "20.00"));
    await withOrders(mail, 1);
    await tell("orders/updated", order(facts(mail, "25.10", { id, updated: Date.now() - 2 * minute })));
    const spent = async (amount: string) =>
      (
        await until(
          () => detailOf(mail),
          (person) => person.spent?.amount === amount,
        )
      ).spent;
    expect(await spent("25.10")).toEqual(euros("25.10"));
    await tell("orders/updated", order(facts(mail, "25.10", { id, updated: Date.now() - minute, current: "0.00" })));
    await settled();
    const person = await detailOf(mail);
    expect(person).toMatchObject({ orders_count: 1, spent: euros("25.10"), orders: [{ amount: euros("25.10") }] });
    expect(person.sessions[0]?.order).toMatchObject({ amount: euros("25.10") });
  });

  it("is as last sent where the update overtakes the creation [orders.newest]", async () => {
    const { mail } = await shopper("overtaken@example.com");
    const created = order(facts(mail, "20.00"));
    await tell("orders/updated", order(facts(mail, "22.00", { id: created.id, updated: Date.now() - minute })));
    await tell("orders/create", created);
    await settled();
    expect(await detailOf(mail)).toMatchObject({ orders_count: 1, spent: euros("22.00") });
  });

  it("ends with orders/cancelled: it is counted nowhere [orders.cancelled]", async () => {
    const { mail, sess } = await shopper("cancels@example.com");
    const kept = await buy(facts(mail, "7.00", { at: Date.now() - 6 * minute }));
    const { id } = await buy(facts(mail, "20.00", { attributes: [sessionOf(sess)] }));
    await withOrders(mail, 2);
    const cancelled = (total: string, of: number) => {
      const ended = { id: of, cancelledAt: Date.now(), updated: Date.now(), current: "0.00" };
      return order(facts(mail, total, ended));
    };
    await tell("orders/cancelled", cancelled("20.00", id));
    const left = await withOrders(mail, 1);
    expect(linkedTo(left)).toEqual([[gid(kept), "email", sess]]);
    expect(left).toMatchObject({ spent: euros("7.00"), sessions: [{ order: { order_id: gid(kept) } }] });
    await tell("orders/cancelled", cancelled("7.00", kept.id));
    const none = await withOrders(mail, 0);
    expect(none).toMatchObject({ orders: [], spent: euros("0.00"), last_order_at: null, sessions: [{ order: null }] });
    expect(await listed("q=cancels%40&has_order=true")).toEqual([]);
    expect(await listed("q=cancels%40&has_order=false")).toHaveLength(1);
  });

  it("is counted but not summed in another currency; a test order is neither [orders.currencies, orders.test-orders]", async () => {
    const { mail } = await shopper("abroad@example.com");
    const yen = await buy(facts(mail, "1250", { currency: "JPY" }));
    await buy(facts(mail, "0.10", { at: Date.now() - 8 * minute }));
    await buy(facts(mail, "0.20", { at: Date.now() - 7 * minute }));
    await buy(facts(mail, "500.00", { test: true }));
    await settled();
    const person = await detailOf(mail);
    expect(person).toMatchObject({ orders_count: 3, spent: euros("0.30") });
    expect(person.orders[0]).toMatchObject({ order_id: gid(yen), amount: { amount: "1250", currency: "JPY" } });
  });

  it("is not begun by a request that the shop did not sign [orders.signature]", async () => {
    const { mail } = await shopper("forged@example.com");
    const other = await openShop(program.data);
    const forged = order(facts(mail, "20.00"));
    const wrong = [
      { signature: null },
      { signature: "" },
      { signature: Buffer.alloc(32).toString("base64") },
      { secret: other.commerce_secret },
      { domain: other.domain },
      { domain: "nobody.myshopify.com" },
    ];
    for (const sent of wrong) {
      const answer = await shopify.send("orders/create", forged, sent);
      expect([sent, answer.status]).toEqual([sent, 401]);
    }
    await settled();
    expect(await detailOf(mail)).toMatchObject({ orders_count: 0, orders: [] });
  });
});
