import { beforeAll, describe, expect, it } from "vitest";
import { planVisit } from "./buyer.ts";
import { shortQuiz } from "./documents.ts";
import type { Client, ListOf, Person, PersonDetail } from "./http.ts";
import { type Place, until } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { importLines, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type OrderFacts, order, Shopify, wholeSecond } from "./shopify.ts";
import type { Live } from "./visit.ts";

/** Who bought, among who was there when: the list's filters and the search against a plain model. */

const day = 86_400_000;
/** Noon, so that no story spans midnight. */
const today = Math.floor(Date.now() / day) * day + day / 2;

interface Stay {
  daysAgo: number;
  quiz: 0 | 1;
}

interface Someone {
  mail: string;
  tel?: string;
  stays: Stay[];
  /** One order each, an hour after the last stay. */
  orders: { total: string; currency?: string; test?: boolean; cancelled?: boolean; by: "cart" | "email" | "phone" }[];
}

const people: Someone[] = [
  { mail: "one@buyers.example", stays: [{ daysAgo: 20, quiz: 0 }], orders: [{ total: "10.00", by: "email" }] },
  { mail: "two@others.example", stays: [{ daysAgo: 10, quiz: 1 }], orders: [] },
  {
    ...{ mail: "three@buyers.example", orders: [{ total: "30.00", by: "cart" }] },
    stays: [
      { daysAgo: 21, quiz: 0 },
      { daysAgo: 5, quiz: 1 },
    ],
  },
  {
    ...{ mail: "four@buyers.example", tel: "+4915112345604", stays: [{ daysAgo: 6, quiz: 1 }] },
    orders: [{ total: "40.00", by: "phone" }],
  },
  {
    ...{ mail: "five@others.example", stays: [{ daysAgo: 3, quiz: 0 }] },
    orders: [{ total: "50.00", cancelled: true, by: "cart" }],
  },
  {
    mail: "six@others.example",
    stays: [{ daysAgo: 4, quiz: 0 }],
    orders: [{ total: "60.00", test: true, by: "cart" }],
  },
  {
    ...{ mail: "seven@buyers.example", stays: [{ daysAgo: 11, quiz: 1 }] },
    orders: [{ total: "7000", currency: "JPY", by: "cart" }],
  },
  {
    ...{ mail: "eight@buyers.example", orders: [1, 2, 3].map(() => ({ total: "0.10", by: "email" as const })) },
    stays: [22, 15, 2].map((daysAgo, k) => ({ daysAgo, quiz: k === 1 ? 1 : 0 })),
  },
];

let program: Place;
let shop: Shop;
let api: Client;
let quizzes: [Live, Live];

const timeOf = ({ daysAgo }: Stay): number => today - daysAgo * day;
const dateOf = (stay: Stay): string => new Date(timeOf(stay)).toISOString().slice(0, 10);
const lastStay = ({ stays }: Someone): number => Math.max(...stays.map(timeOf));
const orderTime = (someone: Someone, n: number): number => lastStay(someone) + (n + 1) * 3_600_000;
const counted = ({ orders }: Someone) => orders.filter(({ cancelled, test }) => !(cancelled || test));

async function search(body: object): Promise<ListOf<Person> & { total: number; returning_total: number }> {
  const found = await api.post<ListOf<Person> & { total: number; returning_total: number }>(
    "/v1/profiles/search?limit=100",
    body,
  );
  expect(found.status, found.text).toBe(200);
  return found.body;
}

async function list(query: Record<string, unknown>): Promise<Person[]> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  const answer = await api.get<ListOf<Person>>(`/v1/profiles?limit=100&${text}`);
  expect(answer.status, `${text} ${answer.text}`).toBe(200);
  return answer.body.data;
}

function ordersOf(someone: Someone, session: string): { topic: string; facts: OrderFacts }[] {
  return someone.orders.flatMap(({ by, total, currency = "EUR", test = false, cancelled = false }, n) => {
    const at = orderTime(someone, n);
    const facts: OrderFacts = {
      ...{ at, total, currency, test, email: by === "email" ? someone.mail : null },
      ...{ phone: by === "phone" ? (someone.tel ?? null) : null },
      attributes: by === "cart" ? [{ name: "_quiz_session", value: session }] : [],
    };
    const { id } = order(facts);
    const ended = { topic: "orders/cancelled", facts: { ...facts, id, cancelledAt: at + 1000, updated: at + 1000 } };
    return [{ topic: "orders/create", facts: { ...facts, id } }, ...(cancelled ? [ended] : [])];
  });
}

beforeAll(async () => {
  program = await sharedProgram();
  ({ shop, api } = await openShopWithKey(program, { limits: { capacity: 100_000, leak_per_second: 10_000 } }));
  quizzes = [
    await publishQuiz(program, shop, shortQuiz, "Quiz A"),
    await publishQuiz(program, shop, shortQuiz, "Quiz B"),
  ];
  const shopify = new Shopify(program, shop);
  const told = people.map((someone) => {
    const tel = someone.tel === undefined ? {} : { tel: someone.tel };
    const taken = someone.stays.map((stay) =>
      planVisit(quizzes[stay.quiz], someone.mail, { from: timeOf(stay), ...tel }),
    );
    const lines = taken.map(({ shopper: { visit }, events }) => visit.line(events));
    return { lines, webhooks: ordersOf(someone, taken.at(-1)?.shopper.sess ?? "") };
  });
  await importLines(
    program.data,
    "events",
    shop.store_id,
    told.flatMap(({ lines }) => lines),
  );
  for (const { topic, facts } of told.flatMap(({ webhooks }) => webhooks)) {
    expect((await shopify.send(topic, order(facts))).status).toBe(200);
  }
  const expected = people.reduce((sum, someone) => sum + counted(someone).length, 0);
  const sum = async () => (await list({})).reduce((all, { orders_count }) => all + orders_count, 0);
  expect(await until(sum, (reached) => reached === expected)).toBe(expected);
}, 120_000);

describe("the list and the search over orders", () => {
  it("show each person's figures alike [people.list, orders.figures]", async () => {
    const rows = await list({});
    expect((await search({})).data).toEqual(rows);
    for (const someone of people) {
      const bought = counted(someone);
      const cents = bought.reduce((all, { total, currency }) => all + (currency ? 0 : Number(total) * 100), 0);
      const last = bought.length === 0 ? null : wholeSecond(orderTime(someone, bought.length - 1));
      const row = rows.find(({ email }) => email === someone.mail);
      expect([someone.mail, row?.orders_count, row?.last_order_at]).toEqual([someone.mail, bought.length, last]);
      expect(row).toMatchObject({
        ...{ spent: { amount: (cents / 100).toFixed(2), currency: "EUR" }, returning: someone.stays.length > 1 },
        ...{ sessions_count: someone.stays.length, completed_count: someone.stays.length },
      });
    }
  });

  const flags = [undefined, true, false];
  const ago = (days: number): string => dateOf({ daysAgo: days, quiz: 0 });
  const spans = [{}, { from: ago(11) }, { to: ago(11) }, { from: ago(6), to: ago(4) }, { from: ago(15), to: ago(15) }];
  const meets = (span: { from?: string; to?: string }, quiz: number | undefined, { stays }: Someone): boolean =>
    stays.some((stay) => {
      const on = dateOf(stay);
      return on >= (span.from ?? "0") && on <= (span.to ?? "9") && (quiz === undefined || stay.quiz === quiz);
    });

  it("agree with a model under every combination of has_order, days, quiz, returning, and q [people.filters, people.days]", async () => {
    for (const has_order of flags) {
      for (const is_returning of flags) {
        for (const span of spans) {
          for (const quiz of [undefined, 0, 1]) {
            const holds = (someone: Someone): boolean =>
              (has_order === undefined || counted(someone).length > 0 === has_order) &&
              (is_returning === undefined || someone.stays.length > 1 === is_returning) &&
              meets(span, quiz, someone);
            const body = {
              has_order,
              is_returning,
              ...span,
              quiz_id: quiz === undefined ? quiz : quizzes[quiz]?.quiz_id,
            };
            const rows = await list(body);
            const model = people.filter(holds).toSorted((a, b) => lastStay(b) - lastStay(a));
            expect([body, rows.map(({ email }) => email)]).toEqual([body, model.map(({ mail }) => mail)]);
            const returning_total = model.filter(({ stays }) => stays.length > 1).length;
            expect([body, await search(body)]).toEqual([
              body,
              {
                data: rows,
                has_more: false,
                next_cursor: null,
                total: model.length,
                total_capped: false,
                returning_total,
              },
            ]);
            const found = await list({ ...body, q: "@BUYERS" });
            expect([body, found]).toEqual([body, rows.filter(({ email }) => email?.includes("@buyers"))]);
          }
        }
      }
    }
  }, 60_000);
});

describe("import orders", () => {
  it("takes in a file of payloads, each order once, as webhooks would have told them [orders.import]", async () => {
    const mail = "history@imported.example";
    const from = Date.parse("2025-11-03T08:00:00.000Z");
    const { shopper, events } = planVisit(quizzes[0], mail, { from });
    await importLines(program.data, "events", shop.store_id, [shopper.visit.line(events)]);
    const facts = { at: from + day, total: "15.00", email: mail };
    const first = order(facts);
    const later = order({ ...facts, id: first.id, total: "18.00", updated: from + 2 * day });
    const counter = order({ at: from + 3 * day, total: "4.00", customer: false, attributes: [] });
    const gone = order({
      at: from + day,
      total: "9.00",
      email: mail,
      cancelledAt: from + 2 * day,
      updated: from + 2 * day,
    });
    const old = order({ at: from + 200 * day, total: "2.00", email: mail });
    const lines = [first, later, counter, gone, old].map((payload) => JSON.stringify(payload));
    for (const _ of ["once", "again"]) {
      await importLines(program.data, "orders", shop.store_id, lines);
      const [row, ...others] = await until(
        () => list({ q: mail, has_order: true }),
        (rows) => rows[0]?.orders_count === 2,
      );
      expect(others).toEqual([]);
      expect(row).toMatchObject({
        orders_count: 2,
        spent: { amount: "20.00" },
        last_order_at: wholeSecond(from + 200 * day),
      });
      const person = (await api.get<PersonDetail>(`/v1/profiles/${row?.id}`)).body;
      expect(person.orders).toMatchObject([
        { order_id: `gid://shopify/Order/${old.id}`, matched_tier: "email", session_id: null },
        { order_id: `gid://shopify/Order/${first.id}`, matched_tier: "email", session_id: shopper.sess },
      ]);
      // the platform's clock has whole seconds: up to one less than a day
      const { order: shown } = person.sessions[0] ?? {};
      expect([1439, 1440]).toContain((shown as { minutes_after: number }).minutes_after);
    }
  });

  it("comes to the same where the orders were there before the sessions [orders.import, orders.rematch]", async () => {
    const mail = "orders.first@imported.example";
    const from = Date.parse("2025-12-03T08:00:00.000Z");
    const { shopper, events } = planVisit(quizzes[1], mail, { from });
    const attributes = [{ name: "_quiz_session", value: shopper.sess }];
    const orders = [
      order({ at: from + 2 * day, total: "3.00", attributes }),
      order({ at: from + day, total: "2.00", email: mail }),
    ];
    await importLines(
      program.data,
      "orders",
      shop.store_id,
      orders.map((payload) => JSON.stringify(payload)),
    );
    expect(await list({ q: mail })).toEqual([]);
    await importLines(program.data, "events", shop.store_id, [shopper.visit.line(events)]);
    const [row] = await until(
      () => list({ q: mail }),
      (rows) => rows[0]?.orders_count === 2,
    );
    expect(row).toMatchObject({ orders_count: 2, spent: { amount: "5.00" } });
    const person = (await api.get<PersonDetail>(`/v1/profiles/${row?.id}`)).body;
    expect(person.orders).toMatchObject([
      { matched_tier: "cart", session_id: shopper.sess },
      { matched_tier: "email", session_id: shopper.sess },
    ]);
  });
});
