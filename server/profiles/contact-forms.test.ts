import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import { say } from "../../testkit/session-scripts.ts";
import { rematchOrders } from "../orders/ingest.ts";
import { ownStore, type Statement, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { listDuplicates, mergeDuplicates } from "./duplicates.ts";
import { unmerge } from "./unmerge.ts";

/** Two notations of one contact, in sessions, orders, searches, and in rows of earlier releases. */

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

const email = (value: string) => say("contact", "mail", value, { consent: true });
const phone = (value: string) => say("contact", "phone", value);
const take = (number: number, contacts: ReturnType<typeof say>[]) =>
  shop.take(number, contacts, { visitor: number, minutesAgo: 500 - 50 * number });
const order = async (id: number, given: Record<string, unknown>) => {
  const payload = shopOrder(id, t.calendar.now(), given);
  expect((await postWebhook(t, store, { topic: "orders/create", payload })).status).toBe(200);
};
const people = async (query = ""): Promise<Body[]> =>
  (await t.request("GET", `/v1/profiles${query}`, { key: store.key })).body.data;
const found = async (q: string) => (await people(`?q=${encodeURIComponent(q)}`)).length;
const db = () => t.database.reader().forStore(store.uuid);
const change = (statement: Statement) => t.database.transaction((tx) => tx.forStore(store.uuid).all(statement));

/** What a release without canonical forms stored, for a contact that is stored with one. */
async function storeAsBefore(value: string, form: string): Promise<void> {
  await change(
    sql`UPDATE identities SET value = ${form}, shown = NULL WHERE store_id = ${ownStore} AND value = ${value}`,
  );
  await change(
    sql`UPDATE captures SET value = ${form}, shown = NULL WHERE store_id = ${ownStore} AND value = ${value}`,
  );
  await change(sql`UPDATE order_keys SET value = ${form} WHERE store_id = ${ownStore} AND value = ${value}`);
}

const sameContacts = [
  { name: "an Argentine mobile", kind: "phone", forms: ["+54 11 2345 6789", "+54 9 11 2345 6789"] },
  { name: "a Mexican mobile", kind: "phone", forms: ["+52 1 55 1234 0001", "+52 55 1234 0001"] },
  { name: "an Italian landline", kind: "phone", forms: ["+39 06 1234 5678", "+39 6 1234 5678"] },
  { name: "a Brazilian mobile", kind: "phone", forms: ["+55 11 6123 4567", "+55 11 96123 4567"] },
  { name: "an email", kind: "email", forms: ["ada@bücher.example", "ada@xn--bcher-kva.example"] },
] as const;
const contact = { phone, email };

describe.each(sameContacts)("two forms of $name", ({ kind, forms: [one, other] }) => {
  it.each([
    [one, other],
    [other, one],
  ])(
    "are one person in sessions, orders and searches [people.one-number, people.email-domains]",
    async (first, second) => {
      await take(1, [contact[kind](first)]);
      await take(2, [contact[kind](second)]);
      await order(1, { [kind]: second });
      await order(2, { [kind]: first });
      const [person, ...others] = await people();
      expect(others).toEqual([]);
      expect(person).toMatchObject({ sessions_count: 2, orders_count: 2 });
      expect([await found(first), await found(second), await found(person?.[kind])]).toEqual([1, 1, 1]);
    },
  );

  it("are one person again when one was stored by an earlier release [people.one-number, people.email-domains]", async () => {
    await take(1, [contact[kind](one)]);
    await order(1, { [kind]: one });
    const [row] = await db().all<{ value: string }>(sql`SELECT value FROM identities WHERE store_id = ${ownStore}`);
    const value = row?.value ?? "";
    const old =
      kind === "email" ? other : [one, other].map((each) => each.replaceAll(" ", "")).find((each) => each !== value);
    await storeAsBefore(value, old ?? "");
    expect(await found(one)).toBe(1);
    await take(2, [contact[kind](other)]);
    await order(2, { [kind]: other });
    expect(await people()).toEqual([expect.objectContaining({ sessions_count: 2, orders_count: 2 })]);
    expect(await db().all(sql`SELECT 1 FROM captures WHERE store_id = ${ownStore} AND value = ${old ?? ""}`)).toEqual(
      [],
    );
  });
});

describe("what is shown", () => {
  it("is the notation in which the contact was left [people.one-number]", async () => {
    await take(1, [phone("+54 9 11 2345 6789")]);
    const [person] = await people();
    expect(person?.["phone"]).toBe("+5491123456789");
    const detail = (await t.request("GET", `/v1/profiles/${person?.["id"]}`, { key: store.key })).body;
    expect(detail.identities).toEqual([expect.objectContaining({ kind: "phone", value: "+5491123456789" })]);
    const events = await db().all<{ topic: string; data: Body }>(
      sql`SELECT topic, data FROM outbox WHERE store_id = ${ownStore} AND topic IN ('profile.created', 'identity.captured')`,
    );
    expect(events.map(({ data }) => data["identity"]?.value ?? data["identities"][0].value)).toEqual(
      events.map(() => "+5491123456789"),
    );
    expect(events).toHaveLength(2);
  });

  it("is an email's domain in letters, whichever form a browser sends [people.email-domains]", async () => {
    await take(1, [email("Ada@XN--BCHER-KVA.example")]);
    expect(await people()).toEqual([expect.objectContaining({ email: "ada@bücher.example" })]);
  });
});

it("keeps two numbers apart that both are assigned [people.one-number]", async () => {
  await take(1, [phone("+39 331 1234567")]);
  await take(2, [phone("+39 0331 1234567")]);
  expect(await people()).toHaveLength(2);
});

describe("people who exist twice", () => {
  const merge = () =>
    mergeDuplicates(db(), (act) => t.database.transaction((tx) => act(tx.forStore(store.uuid))), {
      now: t.calendar.now(),
      random: t.foundations.random,
      rematchOrders,
    });
  /** Ids of the two holders of an Argentine number, as an earlier release left them, the older first. */
  async function twoHolders(): Promise<[string, string]> {
    await take(1, [email("ada@example.com"), phone("+54 11 2345 6789")]);
    await take(2, [phone("+12025550123")]);
    await order(1, { phone: "+12025550123" });
    await storeAsBefore("+12025550123", "+5491123456789");
    const id = async (q: string) => (await people(`?q=${encodeURIComponent(q)}`))[0]?.["id"];
    return [await id("ada@example.com"), (await people()).find((each) => each["email"] === null)?.["id"]];
  }

  it("are listed and merged into the older one, and parted again [people.duplicates]", async () => {
    const [older, newer] = await twoHolders();
    expect(await listDuplicates(db())).toEqual([{ kind: "phone", into: older, from: newer }]);
    expect(await people()).toHaveLength(2);

    expect(await merge()).toMatchObject({ merged: [{ into: older, from: newer }], left: [] });
    expect(await people()).toEqual([
      expect.objectContaining({ id: older, email: "ada@example.com", sessions_count: 2, orders_count: 1 }),
    ]);
    expect(await listDuplicates(db())).toEqual([]);
    await take(3, [phone("+54 9 11 2345 6789")]);
    expect(await people()).toEqual([expect.objectContaining({ id: older, sessions_count: 3 })]);

    const parted = await t.database.transaction((tx) =>
      unmerge(tx.forStore(store.uuid), parseId("prof", newer) ?? "", {
        now: t.calendar.now(),
        random: t.foundations.random,
        rematchOrders,
      }),
    );
    expect(parted).toMatchObject({ restored: true, identities: 1, sessions: 1, orders: 1 });
    expect((await people()).map((each) => each["id"]).sort()).toEqual([older, newer].sort());
    expect(await listDuplicates(db())).toEqual([]);
    expect(await merge()).toMatchObject({ merged: [] });
    expect(await people()).toHaveLength(2);
  });

  it("are not those whose two numbers are both assigned [people.duplicates]", async () => {
    await take(1, [phone("+39 331 1234567")]);
    await take(2, [phone("+39 0331 1234567")]);
    expect(await listDuplicates(db())).toEqual([]);
    expect(await merge()).toEqual({ merged: [], left: [], renamed: 0 });
    expect(await people()).toHaveLength(2);
  });

  it("do not include one person, whose old rows get the canonical form [people.duplicates]", async () => {
    await take(1, [phone("+54 9 11 2345 6789")]);
    await storeAsBefore("+541123456789", "+5491123456789");
    expect(await listDuplicates(db())).toEqual([]);
    expect(await merge()).toEqual({ merged: [], left: [], renamed: 1 });
    expect(await db().all(sql`SELECT value, shown FROM identities WHERE store_id = ${ownStore}`)).toEqual([
      { value: "+541123456789", shown: "+5491123456789" },
    ]);
  });
});

it("erases every form of a contact, from events too [people.one-number]", async () => {
  await take(1, [phone("+54 9 11 2345 6789")]);
  await take(2, [phone("+54 11 2345 6789")]);
  const [person] = await people();
  await erasePersonIn(t, store, person?.["id"]);
  const rows = await db().all<{ text: string }>(sql`
  SELECT o.data::text AS text FROM outbox o WHERE o.store_id = ${ownStore}
  UNION ALL SELECT s.state::text FROM sessions s WHERE s.store_id = ${ownStore}
  UNION ALL SELECT e.data::text FROM session_events e WHERE e.store_id = ${ownStore}`);
  expect(rows.map(({ text }) => text.replaceAll(" ", "")).join("\n")).not.toContain("23456789");
});
