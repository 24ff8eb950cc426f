import { importOrders } from "../../server/orders/ingest.ts";
import type { Store } from "../../server/platform/caller.ts";
import { VersionCache } from "../../server/quizzes/public.ts";
import { sweepSessions } from "../../server/sessions/sweep.ts";
import { findStore } from "../../server/stores/public.ts";
import type { TestApp, TestStore } from "../app.ts";
import { postWebhook, shopOrder, shopTime } from "../commerce.ts";
import { makeQuiz, pagesNamed } from "../quizzes.ts";
import type { CatalogProduct, History, HistoryOrder, HistoryQuiz, HistorySession } from "./history.ts";
import { exact, money, total } from "./numbers.ts";

/** Feeds a history into a real store in the real ways: the storefront, the commerce platform and an import. */

export interface Fed {
  store: TestStore;
  /** the history with the ids that the store assigned, and the actual times of publishing */
  history: History;
}

/**
 * @param t an app whose calendar has not been moved; it moves to the history's present
 * @param halfway called when about half of the history is in, so that what was read then has to be updated later
 */
export async function feedHistory(
  t: TestApp,
  history: History,
  halfway: (store: TestStore) => Promise<void> = async () => undefined,
): Promise<Fed> {
  const store = await t.store({ currency: history.currency });
  // a bucket that never fills up: limits are tested elsewhere
  await t.update(store, { limits: { capacity: 1_000_000, order_window_days: history.windowDays } });
  const fed = { store, history: { ...history, quizzes: await publish(t, store, history.quizzes) } };
  t.calendar.advance(history.now - history.quiet - t.calendar.now());
  for (const product of history.catalog) await putProduct(t, store, product);
  const facts = await factsOf(t, store);
  const early = history.orders.filter((order) => order.id % 2 === 1 || order.totalBefore !== null);
  await putOrders(t, facts, early.map(firstMessage));
  // some of them before their order
  for (const payload of history.orders.flatMap((order) => (isTold(order) ? [] : refundsOf(order)))) {
    await accepted(postWebhook(t, store, { topic: "refunds/create", payload }));
  }
  for (const session of history.sessions) {
    await putEvents(t, facts, fed, session, session.events.slice(0, session.firstDelivery));
  }
  await halfway(store);
  await putOrders(t, facts, history.orders.map(lastMessage));
  for (const session of history.sessions) {
    const late = session.events.slice(session.firstDelivery);
    if (late.length > 0) await putEvents(t, facts, fed, session, late);
  }
  for (const quiz of fed.history.quizzes.filter((one) => one.deleted)) {
    const { status } = await t.request("DELETE", `/v1/quizzes/${quiz.id}`, { key: store.key });
    if (status !== 200) throw new Error(`a quiz was not deleted: ${status}`);
  }
  await letPass(t, history.quiet);
  return fed;
}

/** Lets time pass in which nothing happens except that idle sessions end [sessions.idle]. */
async function letPass(t: TestApp, milliseconds: number): Promise<void> {
  t.calendar.advance(milliseconds);
  const { random, log } = t.foundations;
  const deps = { versions: new VersionCache(), now: t.calendar.now, random, log };
  while ((await sweepSessions(t.database, deps)) > 0);
}

async function factsOf(t: TestApp, store: TestStore): Promise<Store> {
  const facts = await findStore(t.database.reader(), store.id);
  if (!facts) throw new Error("the store was not made");
  return facts;
}

/** Saves and publishes the versions in the order of their publishing times. */
async function publish(t: TestApp, store: TestStore, given: readonly HistoryQuiz[]): Promise<HistoryQuiz[]> {
  const quizzes = given.map((quiz) => ({
    ...quiz,
    versions: quiz.versions.map((version) => ({ ...version })),
    publishedAt: [...quiz.publishedAt],
  }));
  const made = new Set<HistoryQuiz>();
  const due = quizzes
    .flatMap((quiz) =>
      quiz.versions.map((version, index) => ({ quiz, version, index, at: quiz.publishedAt[index] ?? 0 })),
    )
    .toSorted((a, b) => a.at - b.at || a.index - b.index);
  for (const quiz of quizzes.filter((one) => one.versions.length === 0)) {
    quiz.id = (await makeQuiz(t, store, { name: quiz.name, document: pagesNamed("first") })).id;
  }
  for (const { quiz, version, index, at } of due) {
    t.calendar.advance(Math.max(0, at - t.calendar.now()));
    const before = made.has(quiz) ? { quizId: quiz.id } : {};
    const saved = await makeQuiz(t, store, {
      name: quiz.name,
      document: version.document,
      publish: true,
      ...before,
    });
    quiz.id = saved.id;
    version.id = saved.versionId;
    quiz.publishedAt[index] = t.calendar.now();
    made.add(quiz);
  }
  return quizzes;
}

async function putProduct(t: TestApp, store: TestStore, { product, title, variants, deleted }: CatalogProduct) {
  for (const [index, count] of variants.entries()) {
    const payload = {
      id: product,
      title,
      updated_at: shopTime(t.calendar.now() - (variants.length - index) * 1000),
      variants: Array.from({ length: count }, (_, place) => ({ id: product * 10 + place, price: "1.00" })),
    };
    await accepted(postWebhook(t, store, { topic: "products/update", payload }));
  }
  if (deleted) await accepted(postWebhook(t, store, { topic: "products/delete", payload: { id: product } }));
}

async function accepted(answer: ReturnType<typeof postWebhook>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(`a webhook was refused: ${status} ${text}`);
}

async function putEvents(
  t: TestApp,
  store: Store,
  { history, store: { publishableKey } }: Fed,
  session: HistorySession,
  events: HistorySession["events"],
): Promise<void> {
  const quiz = history.quizzes[session.quiz];
  const { source, page } = session;
  const answer = await t.api.intake.submit({
    store,
    origin: { userAgent: session.browser.userAgent, country: session.country, region: session.region },
    mode: { kind: "history", emit: false },
    sender: null,
    batch: {
      store: publishableKey,
      sent_at: new Date(t.calendar.now()).toISOString(),
      session: {
        id: session.id,
        visitor_id: session.visitor,
        quiz_id: quiz?.id ?? "",
        version_id: quiz?.versions[session.version - 1]?.id ?? "",
        channel: session.channel,
        placement: session.placement,
        page_url: page.sent,
        referrer: source.referrer.sent,
        utm: source.utm,
        preview: session.preview,
      },
      events: events.map(({ time: _, ...event }) => event),
    },
  });
  const refused = answer.rejected.filter(({ reason }) => reason !== "incomplete" && reason !== "timed_out");
  if (refused.length > 0) throw new Error(`an event was refused: ${JSON.stringify(refused)}`);
}

async function putOrders(t: TestApp, store: Store, payloads: readonly object[]): Promise<void> {
  const { random } = t.foundations;
  const context = { now: t.calendar.now(), random };
  const { refused } = await t.database.transaction((tx) =>
    importOrders(tx.forStore(store.id), store, payloads, context),
  );
  if (refused.length > 0) throw new Error(`an order was refused: ${JSON.stringify(refused)}`);
}

const quizProperty = (value: string | null) => (value === null ? [] : [{ name: "_quiz_session", value }]);
const cartAttribute = (name: string, value: string | null) => (value === null ? [] : [{ name, value }]);

const lineId = (order: HistoryOrder, place: number) => 100 * order.id + place + 1;

/** Refunds as the platform sends them, of the first line. */
const refundsOf = (order: HistoryOrder) =>
  order.refunds.map(({ amount, ofLine }, index) => ({
    id: 10 * order.id + index + 1,
    order_id: order.id,
    transactions: [{ kind: "refund", status: "success", amount, currency: order.currency }],
    refund_line_items: [{ line_item_id: lineId(order, 0), quantity: 0, subtotal: ofLine }],
  }));

/** Messages of their own bring the refunds of every third order. */
const isTold = (order: HistoryOrder) => order.id % 3 !== 0;

function refundsIn(order: HistoryOrder) {
  if (!isTold(order)) return {};
  const left = exact(order.total) - total(order.refunds.map(({ amount }) => exact(amount)));
  return { refunds: refundsOf(order), current_total_price: money(left, order.currency).amount };
}

/** The platform's message about an order; `more`: replaces fields. */
export function payloadOf(order: HistoryOrder, more: object): Record<string, unknown> {
  return shopOrder(order.id, order.createdAt, {
    currency: order.currency,
    total_price: order.total,
    email: order.email,
    phone: order.phone,
    note_attributes: [
      ...cartAttribute("_quiz_session", order.cartSession),
      ...cartAttribute("_quiz_visitor", order.cartVisitor),
    ],
    ...refundsIn(order),
    lines: order.lines.map(({ product, title, units, price, discount, session }, place) => ({
      id: lineId(order, place),
      product_id: product,
      title,
      quantity: units,
      price,
      total_discount: discount,
      properties: quizProperty(session),
    })),
    ...more,
  });
}

const firstMessage = (order: HistoryOrder) =>
  payloadOf(order, { total_price: order.totalBefore ?? order.total, current_total_price: null, refunds: [] });

function lastMessage(order: HistoryOrder) {
  const updated = shopTime(order.createdAt + 60_000);
  return payloadOf(order, { updated_at: updated, cancelled_at: order.cancelled ? updated : null });
}
