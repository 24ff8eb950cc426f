import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { overview } from "./overview.ts";
import { type ProductsPage, products } from "./products.ts";

let hand: HandStore;
let secondQuiz: string;
beforeAll(async () => {
  hand = await openHandStore();
  secondQuiz = (await makeQuiz(hand.t, hand.store, { name: "Second quiz", publish: true })).uuid;
  const catalog = [
    ["gid/1", "Soap", false, null],
    ["gid/2", "balm", true, null],
    ["gid/3", "Cream", false, new Date(at("2026-03-01T00:00"))],
  ];
  for (const [id, title, variants, deleted] of catalog) {
    await hand.t.database.transaction((tx) =>
      tx.forStore(hand.store.uuid).all(sql`
        INSERT INTO products (store_id, product_id, title, had_variants, updated_at, deleted_at)
        VALUES (${ownStore}, ${id}, ${title}, ${variants}, ${new Date(at("2026-01-01T00:00"))}, ${deleted})`),
    );
  }
});
beforeEach(async () => {
  await hand.begin();
  await hand.copy.put("quizzes", { quiz: 2, id: secondQuiz });
  await hand.copy.put("products", ...[1, 2, 3, 4, 5].map((product) => ({ product, product_id: `gid/${product}` })));
  await hand.copy.put(
    "blocks",
    { block: 1, quiz: 1, page_key: "result", block_key: "best" },
    { block: 2, quiz: 1, page_key: "you", block_key: "more" },
    { block: 3, quiz: 2, page_key: "result", block_key: "best" },
  );
});
afterAll(() => hand.close());

const ask = (
  page: Partial<ProductsPage> = {},
  filters: Parameters<typeof askedOf>[4] = {},
  quizId: string | null = hand.quizId,
) =>
  products(hand.copy.query, hand.db, askedOf(hand, quizId, "2026-03-01", "2026-03-31", filters), {
    sort: "revenue",
    limit: 50,
    bucket: null,
    ...page,
  });
const usd = (amount: string) => ({ amount, currency: "USD" });
const none = { added_from_quiz: usd("0.00"), shown_bought_later: usd("0.00"), bought_not_shown: usd("0.00") };
const nowhere = { block_key: null, page_key: null, page_title: null };

const shown = (session: number, product: number, more: Record<string, unknown> = {}) =>
  hand.copy.put("shown", { session, product, shown_at: at("2026-03-02T10:00"), ...more });
const line = (order: number, product: number | null, amount: string, more: Record<string, unknown> = {}) =>
  hand.copy.put("lines", {
    order_id: uuid(order),
    session: order,
    product,
    amount,
    title: `Line of ${product}`,
    created: at("2026-03-03T10:00"),
    ...more,
  });
const order = (number: number, more: Record<string, unknown> = {}) =>
  hand.copy.put("orders", { id: uuid(number), session: number, created: at("2026-03-03T10:00"), total: "1", ...more });

it("has a row a product with what was shown by the day of showing, and sold by the order's [products.rows, products.sold]", async () => {
  await shown(1, 1);
  // a second block showed it to the same session
  await shown(1, 1, { block: 2, first: false });
  await shown(2, 1);
  await shown(3, 1, { shown_at: at("2026-02-28T23:59") });
  await shown(4, 1, { quiz: 2, block: 3 });
  await line(1, 1, "10.10", { units: 2 });
  await line(1, 1, "0.20", { bucket: "shown_bought_later" });
  await line(2, 1, "5.00", { bucket: "bought_not_shown" });
  await line(3, 1, "50.00", { in_currency: false });
  await line(4, 1, "70.00", { after_start_ms: 31 * 86_400_000 });
  await line(5, 1, "70.00", { created: at("2026-04-01T00:00") });
  await line(6, 1, "70.00", { quiz: 2 });
  const body = await ask();
  expect(body).toMatchObject({ bucket: null, sort: "revenue", total_products: 1, line_revenue: usd("15.30") });
  const by = { added_from_quiz: usd("10.10"), shown_bought_later: usd("0.20"), bought_not_shown: usd("5.00") };
  expect(body.totals_by_bucket).toEqual(by);
  expect(body.rows).toEqual([
    {
      product_id: "gid/1",
      title: "Soap",
      quiz_name: "Find your routine",
      had_variants: false,
      in_store: true,
      times_shown: 2,
      units: 5,
      orders_approx: 3,
      line_revenue: usd("15.30"),
      refunded: usd("0.00"),
      net_revenue: usd("15.30"),
      revenue_by_bucket: by,
      shown_on: { block_key: "best", page_key: "result", page_title: "For you" },
    },
  ]);
});

it("has what was paid back for a product's lines [figures.refunds]", async () => {
  await line(1, 1, "10.00", { refunded: "2.50" });
  await line(2, 1, "5.00", { refunded: "5.00", bucket: "bought_not_shown" });
  await line(3, 1, "7.00", { refunded: "7.00", in_currency: false });
  const body = await ask();
  const all = { line_revenue: usd("15.00"), refunded: usd("7.50"), net_revenue: usd("7.50") };
  expect(body).toMatchObject({ ...all, rows: [all] });
  const added = { line_revenue: usd("10.00"), refunded: usd("2.50"), net_revenue: usd("7.50") };
  expect(await ask({ bucket: "added_from_quiz" })).toMatchObject({ ...added, rows: [added] });
});

it("takes titles from the catalog, else the newest line, else the id [products.title]", async () => {
  await line(1, 2, "4");
  await line(1, 3, "3");
  await line(1, 4, "2", { title: "Newer name", created: at("2026-03-04T10:00") });
  await line(2, 4, "0");
  await shown(1, 5);
  const { rows } = await ask();
  expect(rows.map((row) => [row.title, row.had_variants, row.in_store, row.shown_on.page_title])).toEqual([
    ["balm", true, true, null],
    ["Cream", false, false, null],
    ["Newer name", false, false, null],
    ["gid/5", false, false, "For you"],
  ]);
  // shown now, sold before the range: the old line still names it
  await line(3, 5, "1", { title: "Old name", created: at("2026-01-01T10:00") });
  expect((await ask()).rows[3]?.title).toBe("Old name");
});

it("names the place that showed it to most sessions, the newest of several; never shown: its order's quiz [products.shown-on]", async () => {
  await shown(1, 1);
  await shown(1, 1, { block: 2, first: false });
  await shown(2, 1, { block: 2 });
  await shown(1, 2, { block: 2, shown_at: at("2026-03-02T10:01") });
  await shown(3, 2, { quiz: 2, block: 3, shown_at: at("2026-03-02T10:02") });
  await line(1, 3, "1", { quiz: 1 });
  await line(2, 3, "1", { quiz: 2, created: at("2026-03-04T10:00") });
  const { rows, quiz_id } = await ask({ sort: "title" }, {}, null);
  expect(quiz_id).toBeNull();
  expect(rows.map((row) => [row.title, row.quiz_name, row.shown_on])).toEqual([
    ["balm", "Second quiz", { block_key: "best", page_key: "result", page_title: "For you" }],
    ["Cream", "Second quiz", nowhere],
    ["Soap", "Find your routine", { block_key: "more", page_key: "you", page_title: "You" }],
  ]);
});

it("masks whom a line is for, unless the caller may see people [api.masked-contacts]", async () => {
  await line(1, 4, "2", { title: "Gift for ada@example.com" });
  const selection = askedOf(hand, hand.quizId, "2026-03-01", "2026-03-31", {});
  for (const contacts of [false, true]) {
    const page = { sort: "revenue", limit: 50, bucket: null } as const;
    const { rows } = await products(hand.copy.query, hand.db, { ...selection, contacts }, page);
    expect(rows[0]?.title).toBe(contacts ? "Gift for ada@example.com" : "Gift for [email]");
  }
});

it("sorts numbers descending, titles ascending, equal rows by id, and counts products before the limit [products.order, products.rows]", async () => {
  await line(1, 1, "1", { units: 9 });
  await line(1, 2, "5");
  await line(2, 2, "0");
  await line(1, 3, "5", { units: 2 });
  await shown(1, 4);
  const ids = async (sort: ProductsPage["sort"], limit = 50) => {
    const { rows, total_products, line_revenue } = await ask({ sort, limit });
    expect([total_products, line_revenue]).toEqual([4, usd("11.00")]);
    return rows.map(({ product_id }) => product_id.slice(4)).join("");
  };
  expect(await ids("revenue")).toBe("2314");
  expect(await ids("units")).toBe("1234");
  expect(await ids("orders")).toBe("2134");
  expect(await ids("times_shown")).toBe("4123");
  // balm, Cream, gid/4, Soap
  expect(await ids("title")).toBe("2341");
  expect(await ids("title", 2)).toBe("23");
  expect(await ids("units", 1)).toBe("1");
});

it("covers one bucket when asked to [products.bucket]", async () => {
  await line(1, 1, "1");
  await line(2, 2, "2", { bucket: "bought_not_shown" });
  await order(1, { tier: "email" });
  await order(2, { tier: "email" });
  await shown(1, 1);
  const body = await ask({ bucket: "bought_not_shown" });
  expect(body).toMatchObject({ bucket: "bought_not_shown", line_revenue: usd("2.00"), orders_matched_by_email: 1 });
  expect(body.totals_by_bucket).toEqual({ ...none, bought_not_shown: usd("2.00") });
  expect(body.rows.map((row) => [row.product_id, row.units, row.times_shown])).toEqual([
    ["gid/2", 1, 0],
    ["gid/1", 0, 1],
  ]);
});

it("counts the orders inside the window that only an email links [products.email-orders]", async () => {
  await order(1, { tier: "email" });
  await order(2, { tier: "phone" });
  await order(3, { tier: "email", after_start_ms: 31 * 86_400_000 });
  await order(4, { tier: "email", created: at("2026-04-01T00:00") });
  await order(5, { tier: "email", quiz: 2 });
  expect((await ask()).orders_matched_by_email).toBe(1);
  expect((await ask({}, {}, null)).orders_matched_by_email).toBe(2);
});

it("has no row for lines without a product, and the overview's money with them [products.lines-without-product]", async () => {
  await line(1, null, "3", { bucket: "bought_not_shown" });
  await line(1, 1, "4");
  const body = await ask();
  expect(body).toMatchObject({ total_products: 1, line_revenue: usd("7.00") });
  expect(body.rows.map((row) => [row.product_id, row.line_revenue])).toEqual([["gid/1", usd("4.00")]]);
  const selection = askedOf(hand, hand.quizId, "2026-03-01", "2026-03-31");
  const { totals } = await overview(hand.copy.query, hand.db, selection);
  expect(body.totals_by_bucket).toEqual(totals.revenue_by_bucket);
  expect(body.totals_by_bucket.bought_not_shown).toEqual(usd("3.00"));
  expect(await ask({ bucket: "bought_not_shown" })).toMatchObject({ rows: [], line_revenue: usd("3.00") });
});

it("filters showings and lines by their sessions [analytics.filters]", async () => {
  await hand.copy.put("sessions", { session: 1, opened: 0, device: "tablet" }, { session: 2, opened: 0 });
  for (const session of [1, 2]) {
    await shown(session, 1);
    await line(session, 1, "2");
    await order(session, { tier: "email" });
  }
  const body = await ask({}, { device: "tablet" });
  expect(body).toMatchObject({ line_revenue: usd("2.00"), orders_matched_by_email: 1 });
  expect(body.rows).toMatchObject([{ times_shown: 1, units: 1 }]);
});
