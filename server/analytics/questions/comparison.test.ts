import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { type ComparisonPage, comparison } from "./comparison.ts";

let hand: HandStore;
/** UUIDs, in the order in which the copy numbers them from 1 */
const quizIds: string[] = [];
beforeAll(async () => {
  hand = await openHandStore();
  quizIds.push(hand.quizId);
  // the first is "Find your routine"
  for (const name of ["apple", "Banana", "Éclair", "Gone"]) {
    quizIds.push((await makeQuiz(hand.t, hand.store, { name, publish: name === "apple" })).uuid);
  }
  await hand.t.database.transaction((tx) =>
    tx.forStore(hand.store.uuid).all(sql`
      UPDATE quizzes SET deleted_at = ${new Date(at("2026-03-01T00:00"))}
      WHERE store_id = ${ownStore} AND id = ${quizIds[4]}`),
  );
});
beforeEach(async () => {
  await hand.begin();
  await hand.copy.put("quizzes", ...quizIds.slice(1).map((id, index) => ({ quiz: index + 2, id })));
});
afterAll(() => hand.close());

const ask = (page: Partial<ComparisonPage> = {}, filters: Parameters<typeof askedOf>[4] = {}) =>
  comparison(hand.copy.query, hand.db, askedOf(hand, null, "2026-03-01", "2026-03-31", filters), {
    q: null,
    sort: "name",
    dir: "asc",
    limit: 25,
    offset: 0,
    ...page,
  });
const names = async (page: Partial<ComparisonPage>) => (await ask(page)).data.map(({ name }) => name);
const usd = (amount: string) => ({ amount, currency: "USD" });

let sessions = 0;
const session = (quiz: number, more: Record<string, unknown> = {}) => {
  sessions += 1;
  return hand.copy.put("sessions", { session: sessions, quiz, opened: at("2026-03-01T10:00"), ...more });
};
const order = (number: number, quiz: number | null, total: string, more: Record<string, unknown> = {}) =>
  hand.copy.put("orders", {
    id: uuid(number),
    session: quiz,
    quiz,
    created: at("2026-03-02T10:00"),
    total,
    ...more,
  });

it("has a row for every quiz that is not deleted, with zeros and nulls where nothing happened [figures.comparison-rows, figures.zero-money]", async () => {
  const { data, ...rest } = await ask();
  expect(rest).toEqual({ total: 4, has_more: false, limit: 25, offset: 0, sort: "name", dir: "asc" });
  expect(data.map(({ name, status }) => [name, status])).toEqual(
    [
      ["apple", "published"],
      ["Banana", "draft"],
      ["Éclair", "draft"],
      ["Find your routine", "published"],
    ].sort(([a = ""], [b = ""]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  );
  expect(data[0]).toEqual({
    quiz_id: `quiz_${quizIds[1]?.replaceAll("-", "")}`,
    name: "apple",
    status: "published",
    views: 0,
    starts: 0,
    completions: 0,
    email_opt_ins: 0,
    phone_opt_ins: 0,
    orders: 0,
    completion_rate: null,
    attributed_share: null,
    avg_time_to_complete_ms: null,
    median_time_to_complete_ms: null,
    revenue: usd("0.00"),
    refunded: usd("0.00"),
    net_revenue: usd("0.00"),
  });
});

it("counts each quiz's own sessions and orders, each thing on its day [figures.own-day, figures.attributed-share, figures.revenue]", async () => {
  const started = at("2026-03-01T10:00");
  await session(2, { started, completed: started + 1_000, email_at: started });
  await session(2, { started, completed: started + 2_001, phone_at: at("2026-04-01T00:00") });
  await session(2, { opened: at("2026-02-01T00:00"), started: at("2026-02-01T00:00") });
  await session(1);
  await order(1, 2, "30.00");
  await order(2, 2, "50.00", { after_start_ms: 31 * 86_400_000 });
  await order(3, 2, "70.00", { in_currency: false });
  await order(4, null, "20.00", { after_start_ms: null, tier: null });
  const apple = (await ask()).data.find(({ name }) => name === "apple");
  expect(apple).toMatchObject({
    views: 2,
    starts: 2,
    completions: 2,
    email_opt_ins: 1,
    phone_opt_ins: 0,
    orders: 3,
    completion_rate: 1,
    avg_time_to_complete_ms: 1_500.5,
    median_time_to_complete_ms: 1_500.5,
    revenue: usd("30.00"),
    // of all orders in the store's currency: 30 + 50 + 20
    attributed_share: 0.3,
  });
});

it("sorts nulls last in both directions, and equal rows by name, then id [figures.comparison-order]", async () => {
  const started = at("2026-03-01T10:00");
  await session(1, { started });
  await session(3, { started, completed: started });
  const last = ["apple", "Éclair"];
  expect(await names({ sort: "completion_rate" })).toEqual(["Find your routine", "Banana", ...last]);
  expect(await names({ sort: "completion_rate", dir: "desc" })).toEqual(["Banana", "Find your routine", ...last]);
  expect(await names({ sort: "views", dir: "desc" })).toEqual(["Banana", "Find your routine", ...last]);
  expect(await names({ sort: "views" })).toEqual([...last, "Banana", "Find your routine"]);
  expect(await names({ sort: "share" })).toEqual(await names({ sort: "name" }));
});

it("sorts by opt-ins, orders, revenue and attributed share [figures.comparison-order, figures.opt-in-once]", async () => {
  const moment = at("2026-03-01T10:00");
  // once a session, by its first: three opt-ins of two sessions
  await session(1, { email_at: moment, phone_at: moment + 1 });
  await session(1, { phone_at: moment, email_at: at("2026-02-01T00:00") });
  await session(2, { phone_at: moment });
  await session(2, { email_at: moment });
  await order(1, 1, "9.00");
  await order(2, 2, "5.00");
  await order(3, 2, "3.00");
  expect((await names({ sort: "opt_ins", dir: "desc" })).slice(0, 2)).toEqual(["apple", "Find your routine"]);
  expect((await names({ sort: "orders", dir: "desc" })).slice(0, 2)).toEqual(["apple", "Find your routine"]);
  expect((await names({ sort: "revenue", dir: "desc" })).slice(0, 2)).toEqual(["Find your routine", "apple"]);
  expect((await names({ sort: "share", dir: "desc" })).slice(0, 2)).toEqual(["Find your routine", "apple"]);
  expect((await names({ sort: "starts", dir: "desc" }))[0]).toBe("apple");
});

it("finds a part of the name in any case, and pages by offset [figures.comparison-rows, figures.comparison-paging]", async () => {
  expect(await names({ q: "AN" })).toEqual(["Banana"]);
  expect(await names({ q: "éCL" })).toEqual(["Éclair"]);
  expect(await names({ q: "%" })).toEqual([]);
  const second = await ask({ limit: 2, offset: 1 });
  expect(second).toMatchObject({ total: 4, has_more: true, limit: 2, offset: 1 });
  expect(second.data).toEqual((await ask()).data.slice(1, 3));
  expect(await ask({ limit: 3, offset: 1 })).toMatchObject({ total: 4, has_more: false });
  expect(await ask({ offset: 9 })).toMatchObject({ data: [], total: 4, has_more: false });
});

it("filters the quizzes' figures, not the store's revenue [analytics.filters, figures.attributed-share]", async () => {
  await hand.copy.put("sessions", { session: 101, quiz: 1, opened: at("2026-03-01T10:00"), device: "tablet" });
  await hand.copy.put("sessions", { session: 102, quiz: 1, opened: at("2026-03-01T10:00") });
  await order(1, 1, "10.00", { session: 101 });
  await order(2, 1, "30.00", { session: 102 });
  const { data } = await ask({ q: "routine" }, { device: "tablet" });
  expect(data[0]).toMatchObject({ views: 1, orders: 1, revenue: usd("10.00"), attributed_share: 0.25 });
});
