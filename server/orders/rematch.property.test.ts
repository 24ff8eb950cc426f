import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder, shopTime } from "../../testkit/commerce.ts";
import type { ScriptedEvent } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId, visitorId } from "../../testkit/storefront.ts";
import { ownStore, type Statement, sql } from "../platform/database/sql.ts";
import { attribute, bucketOf, type OrderKey } from "./attribute.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const minute = 60_000;

/** What happens, in the order in which the server hears of it; times are minutes before now. */
type Step =
  | { kind: "visit"; session: number; ago: number; deed: "open" | "answer" | "show" | "add" }
  | { kind: "contact"; session: number; ago: number; field: "mail" | "phone"; value: string | null }
  | { kind: "order"; order: number; ago: number; version: number; keys: string[]; total: string; cancelled: boolean };

const agos = [20, 500, 1_000, 60_000, 129_000, 130_000, 200_000];
const ago = fc.constantFrom(...agos);
const session = fc.integer({ min: 1, max: 4 });
const emails = ["ann@example.com", "bob@example.com"];
const phones = ["+12025550123", "+12025550187"];
const keys = [
  ...[1, 2, 3, 4].flatMap((number) => [`line ${number}`, `cart ${number}`]),
  "visitor 1",
  "visitor 2",
  ...emails.map((email) => `email ${email}`),
  ...phones.map((phone) => `phone ${phone}`),
];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("visit" as const),
      session,
      ago,
      deed: fc.constantFrom("open", "answer", "answer", "show", "add"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ session, ago, mail: fc.boolean(), pick: fc.constantFrom(0, 1, null) })
      .map(({ mail, pick, ...rest }) => {
        const value = pick === null ? null : ((mail ? emails : phones)[pick] ?? null);
        return { kind: "contact" as const, ...rest, field: mail ? ("mail" as const) : ("phone" as const), value };
      }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("order" as const),
      order: fc.integer({ min: 1, max: 4 }),
      ago,
      version: fc.integer({ min: 0, max: 2 }),
      keys: fc.subarray(keys, { maxLength: 3 }),
      total: fc.constantFrom("10.00", "0.10", "7"),
      cancelled: fc.integer({ min: 0, max: 5 }).map((pick) => pick === 0),
    }),
  },
);

function eventsOf(given: Extract<Step, { session: number }>, index: number): ScriptedEvent[] {
  const seq = 10 * (index + 1);
  if (given.kind === "contact") return [say("contact", given.field, given.value, { seq, min: 0 })];
  const product_id = "gid://shopify/Product/1";
  switch (given.deed) {
    case "open":
      return [{ ...opened({ min: 0 }), seq }, enter("skin", "start", { min: 0 })];
    case "answer":
      return [choose("skin", "skin_type", 1, { min: 0, seq })];
    case "show":
      return [
        { type: "products_shown", page_key: "result", block_key: "picks", products: [{ product_id }], seq, min: 0 },
      ];
    case "add":
      return [{ type: "product_added", product_id: "gid://shopify/Product/2", quantity: 1, seq, min: 0 }];
  }
}

function payloadOf(given: Extract<Step, { kind: "order" }>, now: number): object {
  const named = (kind: string) =>
    given.keys.flatMap((key) => (key.startsWith(kind) ? [key.slice(kind.length + 1)] : []));
  const at = Math.floor(now / 1000) * 1000 - given.ago * minute;
  const updated = at + given.version * minute;
  const properties = named("line").map((number) => ({ name: "_quiz_session", value: sessionId(Number(number)) }));
  const [email = null, email2 = null] = named("email");
  const [phone = null, phone2 = null] = named("phone");
  return shopOrder(given.order, at, {
    total_price: given.total,
    updated_at: shopTime(updated),
    cancelled_at: given.cancelled ? shopTime(updated) : null,
    email,
    contact_email: email2,
    phone,
    customer: { email: null, phone: phone2 },
    note_attributes: [
      ...named("cart").map((number) => ({ name: "_quiz_session", value: sessionId(Number(number)) })),
      ...named("visitor").map((number) => ({ name: "_quiz_visitor", value: visitorId(Number(number)) })),
    ],
    lines: [
      ...properties.map((property) => ({ product_id: 9, properties: [property] })),
      { product_id: 1 },
      { product_id: 2 },
    ],
  });
}

async function play(store: TestStore, quiz: TestQuiz, steps: readonly Step[]): Promise<void> {
  for (const [index, given] of steps.entries()) {
    if (given.kind === "order") {
      const topic = given.cancelled ? "orders/cancelled" : "orders/updated";
      const payload = payloadOf(given, t.calendar.now());
      expect((await postWebhook(t, store, { topic, payload })).status).toBe(200);
    } else {
      const events = recently(t, eventsOf(given, index), { minutesAgo: given.ago, firstId: index * 10 });
      // two sessions to a visitor
      const ids = { id: sessionId(given.session), visitor_id: visitorId(Math.ceil(given.session / 2)) };
      expect((await send(t, store, quiz, events, { session: ids })).status).toBe(202);
    }
  }
}

interface SessionRow {
  id: string;
  visitor_id: string;
  profile_id: string | null;
  started_at: Date | null;
  preview: boolean;
  state: { shown: { product_id: string }[]; added: { product_id: string }[] };
}
interface OrderRow {
  id: string;
  created_at: Date;
  cancelled_at: Date | null;
  total: string;
  profile_id: string | null;
  link: object;
}
interface LineRow {
  order_id: string;
  product_id: string | null;
  from_quiz: boolean;
  bucket: string | null;
}

/** Every order is as it would be if it were attributed now, for the first time, over everything that is there. */
async function check(store: TestStore): Promise<void> {
  const read = <Row>(statement: Statement<Row>) => t.database.reader().forStore(store.uuid).all(statement);
  const rows = await read(sql<SessionRow>`SELECT * FROM sessions WHERE store_id = ${ownStore}`);
  const identities = await read(
    sql<{
      kind: string;
      value: string;
      profile_id: string;
    }>`SELECT kind, value, profile_id FROM identities WHERE store_id = ${ownStore}`,
  );
  const orders =
    await read(sql<OrderRow>`SELECT o.id, o.created_at, o.cancelled_at, o.total, o.profile_id, jsonb_build_object('sessionId', o.session_id,
       'tier', o.matched_tier, 'profileId', o.profile_id, 'profileTier', o.profile_tier) AS link
     FROM orders o WHERE o.store_id = ${ownStore} ORDER BY o.gid`);
  const kept = await read(
    sql<OrderKey & { order_id: string }>`SELECT * FROM order_keys WHERE store_id = ${ownStore} ORDER BY rank`,
  );
  const lines = await read(
    sql<LineRow>`SELECT * FROM order_lines WHERE store_id = ${ownStore} ORDER BY order_id, line_no`,
  );
  const candidates = {
    sessions: rows.map((row) => ({
      id: row.id,
      visitorId: row.visitor_id,
      profileId: row.profile_id,
      startedAt: row.started_at?.getTime() ?? null,
      preview: row.preview,
    })),
    holder: (kind: string, value: string) =>
      identities.find((identity) => identity.kind === kind && identity.value === value)?.profile_id,
  };
  for (const order of orders) {
    const own = kept.filter((key) => key.order_id === order.id);
    const link = attribute({ createdAt: order.created_at.getTime(), keys: own }, candidates);
    expect(order.link).toEqual(link);
    const session = rows.find((row) => row.id === link.sessionId);
    const ids = (part: "shown" | "added") => new Set(session?.state[part].map((product) => product.product_id));
    for (const line of lines.filter((each) => each.order_id === order.id)) {
      const asked = { productId: line.product_id, fromQuiz: line.from_quiz };
      expect(line.bucket).toBe(session ? bucketOf(asked, { shown: ids("shown"), added: ids("added") }) : null);
    }
  }
  const people = await read(
    sql<{
      id: string;
      orders_count: number;
      spent: string;
      last_order_at: Date | null;
    }>`SELECT id, orders_count, spent, last_order_at FROM profiles WHERE store_id = ${ownStore}`,
  );
  for (const person of people) {
    const own = orders.filter((order) => order.profile_id === person.id && order.cancelled_at === null);
    const times = own.map((order) => order.created_at.getTime());
    const cents = own.reduce((sum, order) => sum + Math.round(Number(order.total) * 100), 0);
    expect({ ...person, spent: Math.round(Number(person.spent) * 100) }).toEqual({
      id: person.id,
      orders_count: own.length,
      spent: cents,
      last_order_at: times.length > 0 ? new Date(Math.max(...times)) : null,
    });
  }
}

it("keeps orders with the session and person that they would have if all came at once [orders.rematch]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
      const store = await t.store();
      const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
      await play(store, quiz, steps);
      await check(store);
    }),
    { numRuns: 30 },
  );
}, 120_000);
