import { describe, expect, it } from "vitest";
import { demoCatalog, demoShop } from "./catalog.ts";
import { planOrders } from "./orders.ts";
import { demoQuizzes } from "./quizzes.ts";
import { planShoppers } from "./shoppers.ts";

const day = 86_400_000;
const to = Date.UTC(2026, 4, 31, 15, 20);
const from = to - 60 * day;

const quizzes = demoQuizzes.map(({ share, versions }, quiz) => ({
  quiz_id: `quiz_${String(quiz).repeat(32)}`,
  share,
  versions: versions
    .map(({ document }) => ({ version_id: `ver_${"a".repeat(32)}`, version_number: 1, document, from }))
    .slice(0, 1),
}));
const sessions = [...planShoppers({ seed: "orders", quizzes, from, to, sessions: 2500 })];
const plan = () => [...planOrders({ seed: "orders", sessions, catalog: demoCatalog, to })];

describe("the demo's catalog", () => {
  it("looks like the commerce platform's products, ids all different", () => {
    expect(demoCatalog.length).toBeGreaterThanOrEqual(24);
    const variants = demoCatalog.flatMap((product) => product.variants);
    for (const ids of [
      demoCatalog.map(({ id }) => String(id)),
      demoCatalog.map(({ handle }) => handle),
      variants.map(({ id }) => String(id)),
    ]) {
      expect(new Set(ids).size).toBe(ids.length);
    }
    expect(variants.every(({ id, price }) => Number.isSafeInteger(id) && /^\d+\.\d\d$/.test(price))).toBe(true);
    expect(demoCatalog.some(({ image }) => image === null)).toBe(true);
    expect(demoCatalog.some((product) => product.variants.length > 1)).toBe(true);
  });
});

describe("the demo's orders", () => {
  it("are the same for the same seed, in order of time, none after the end", () => {
    const orders = plan();
    expect(orders).toEqual(plan());
    const times = orders.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(to);
  });

  it("link by line, cart, visitor and email, and some not at all", () => {
    const created = plan().filter(({ topic }) => topic === "orders/create");
    const attribute = (name: string) =>
      created.filter(({ order }) => order.note_attributes.some((entry) => entry.name === name)).length;
    const byLine = created.filter(({ order }) => order.line_items.some(({ properties }) => properties.length > 0));
    expect(byLine.length).toBeGreaterThan(20);
    expect(attribute("_quiz_session")).toBeGreaterThan(5);
    expect(attribute("_quiz_visitor")).toBeGreaterThan(5);
    const known = new Set(
      sessions.flatMap(({ batches }) =>
        batches.flatMap(({ events }) =>
          events.flatMap((event) =>
            event.type === "answer_saved" && typeof event.value === "string" ? [event.value.trim().toLowerCase()] : [],
          ),
        ),
      ),
    );
    const byEmail = created.filter(({ order }) => order.email !== null && known.has(order.email));
    expect(byEmail.length).toBeGreaterThan(20);
    expect(created.length).toBeGreaterThan(byLine.length + attribute("_quiz_session") + attribute("_quiz_visitor"));
    expect(plan().some(({ topic }) => topic === "orders/cancelled")).toBe(true);
  });

  it("come at once, days and weeks after their session, never before it", () => {
    const ends = new Map(
      sessions.map(({ session, batches }) => [session.id, Date.parse(batches.at(-1)!.events.at(-1)!.at)]),
    );
    const delays = plan().flatMap(({ topic, at, order }) => {
      const entries = [...order.note_attributes, ...order.line_items.flatMap(({ properties }) => properties)];
      const session = entries.find(({ name }) => name === "_quiz_session")?.value;
      return session && topic === "orders/create" ? [(at - ends.get(session)!) / day] : [];
    });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(delays.some((days) => days < 1)).toBe(true);
    expect(delays.some((days) => days > 1 && days < 14)).toBe(true);
    expect(delays.some((days) => days > 21)).toBe(true);
  });

  it("add up to the cent", () => {
    const cents = (text: string) => Math.round(Number(text) * 100);
    for (const { order } of plan()) {
      const gross = order.line_items.reduce((sum, { price, quantity }) => sum + cents(price) * quantity, 0);
      const off = order.line_items
        .flatMap((line) => line.discount_allocations)
        .reduce((sum, { amount }) => sum + cents(amount), 0);
      expect(cents(order.total_discounts)).toBe(off);
      expect(cents(order.subtotal_price)).toBe(gross - off);
      expect([0, 595]).toContain(cents(order.total_price) - gross + off);
      expect(order.currency).toBe(demoShop.currency);
      expect(order.line_items.length).toBeGreaterThan(0);
    }
  });
});
