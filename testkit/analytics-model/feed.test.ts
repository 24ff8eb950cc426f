import fc from "fast-check";
import { expect, it } from "vitest";
import { ownStore, raw, sql } from "../../server/platform/database/sql.ts";
import { parseId } from "../../server/platform/ids.ts";
import { openTestApp, type TestApp, type TestStore } from "../app.ts";
import { eventId, scriptedHistory, type TimedEvent } from "../histories.ts";
import { choose, opened, say } from "../session-scripts.ts";
import { finderDocument } from "../small-quizzes.ts";
import { sessionId, visitorId } from "../storefront.ts";
import { tellWorld } from "./asked.ts";
import { feedHistory } from "./feed.ts";
import { arbitraryStoreHistory } from "./histories.ts";
import type { History, HistorySession } from "./history.ts";
import type { ToldOrder } from "./orders.ts";
import type { WebhookSession } from "./sessions.ts";

interface SessionRow {
  id: string;
  opened: number;
  started: number | null;
  completed: number | null;
  ended: number | null;
  is_returning: boolean;
  device: string;
  page_url: string | null;
  referrer_host: string | null;
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const uuid = (session: WebhookSession | null) => session && parseId("sess", session.given.id);

const sessionRow = (session: WebhookSession): SessionRow => ({
  id: uuid(session) ?? "",
  opened: session.opened,
  started: session.started,
  completed: session.completed,
  ended: session.ended,
  is_returning: !session.isNew,
  device: session.given.browser.device,
  page_url: session.given.page.kept,
  referrer_host: session.given.source.referrer.kept,
});

const orderRow = ({ id, session, tier, lines }: ToldOrder) => ({
  gid: `gid://shopify/Order/${id}`,
  session_id: uuid(session),
  tier,
  lines: lines.length === 0 ? null : lines.map((line) => [session && line.bucket, Number(line.amount) / 1e10]),
});

async function kept(t: TestApp, store: TestStore) {
  const db = t.database.reader();
  return {
    sessions: await db.forStore(store.uuid).all(sql<SessionRow>`
  SELECT id, ${raw(ms("opened_at"))} AS opened, ${raw(ms("started_at"))} AS started, ${raw(ms("completed_at"))} AS completed,
    ${raw(ms("ended_at"))} AS ended, is_returning, device_class AS device, page_url, referrer_host
  FROM sessions WHERE store_id = ${ownStore} AND NOT preview ORDER BY id`),
    orders: await db.forStore(store.uuid).all(sql<ReturnType<typeof orderRow>>`
  SELECT o.gid, o.session_id, CASE WHEN o.session_id IS NULL THEN NULL ELSE o.matched_tier END AS tier,
    (SELECT json_agg(json_build_array(l.bucket, l.amount::float8) ORDER BY l.line_no) FROM order_lines l
      WHERE l.store_id = ${ownStore} AND l.order_id = o.id) AS lines
  FROM orders o WHERE o.store_id = ${ownStore} AND o.cancelled_at IS NULL ORDER BY o.gid`),
  };
}

async function leavesWhatIsTold(given: History): Promise<History> {
  const t = await openTestApp();
  try {
    const { store, history } = await feedHistory(t, given);
    const world = tellWorld(history);
    const { sessions, orders } = await kept(t, store);
    expect(sessions).toEqual(world.sessions.map(sessionRow).toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    expect(orders).toEqual(world.orders.map(orderRow).toSorted((a, b) => (a.gid < b.gid ? -1 : 1)));
    return history;
  } finally {
    await t.close();
  }
}

const sampled = (seed: number): History =>
  fc.sample(arbitraryStoreHistory({ maxSessions: 30 }), { seed, numRuns: 1 })[0]!;

it("leaves in the database what the model of analytics tells of a history [figures.new-returning]", async () => {
  const run = async (seed: number) => void (await leavesWhatIsTold(sampled(seed)));
  await fc.assert(fc.asyncProperty(fc.noShrink(fc.nat()), run), { numRuns: 4 });
}, 120_000);

it("tells whose session it is where a contact was replaced in the request that brought it [people.any-arrival]", async () => {
  const { quizzes, sessions, orders, ...rest } = sampled(1);
  const typed: [field: "mail" | "phone", value: string][][] = [
    [["mail", "first@x.test"]],
    [["phone", "+4915112345671"]],
    // the first address takes the phone over, since one visitor brought both; then a second takes its place
    [
      ["mail", "first@x.test"],
      ["phone", "+4915112345671"],
      ["mail", "second@x.test"],
    ],
  ];
  const start = rest.now - rest.quiet - 3_600_000;
  const taken = typed.map((contacts, index): HistorySession => {
    const answers = contacts.map(([field, value]) => say("contact", field, value));
    const script = [opened(), choose("skin", "skin_type", 3), ...answers];
    const events = scriptedHistory(...script).map((event, place): TimedEvent => {
      const time = start + index * 60_000 + place * 1_000;
      return { ...event, id: eventId(100 * index + place), time, at: new Date(time).toISOString() };
    });
    const own = { id: sessionId(index + 1), visitor: visitorId(1), quiz: 0, version: 1, preview: false };
    return { ...sessions[0]!, ...own, events, firstDelivery: events.length };
  });
  const bought = { email: "first@x.test", phone: null, cartSession: null, cartVisitor: null, cancelled: false };
  const [order] = orders;
  const history = {
    ...rest,
    quizzes: [{ ...quizzes[0]!, versions: [{ id: "", document: finderDocument }], deleted: false }],
    sessions: taken,
    orders: [{ ...order!, ...bought, createdAt: Math.ceil(start / 1000) * 1000 + 600_000, lines: [] }],
  };
  const [told] = tellWorld(await leavesWhatIsTold(history)).orders;
  expect([told?.tier, told?.session?.given.id]).toEqual(["email", sessionId(3)]);
}, 60_000);
