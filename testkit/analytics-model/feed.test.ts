import fc from "fast-check";
import { expect, it } from "vitest";
import { ownStore, raw, sql } from "../../server/platform/database/sql.ts";
import { parseId } from "../../server/platform/ids.ts";
import { openTestApp, type TestApp, type TestStore } from "../app.ts";
import { tellWorld } from "./asked.ts";
import { feedHistory } from "./feed.ts";
import { arbitraryStoreHistory } from "./histories.ts";
import type { ToldOrder } from "./orders.ts";
import type { ToldSession } from "./sessions.ts";

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
const uuid = (session: ToldSession | null) => session && parseId("sess", session.given.id);

const sessionRow = (session: ToldSession): SessionRow => ({
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

it("leaves in the database what the model of analytics tells of a history [figures.new-returning]", async () => {
  const run = async (seed: number) => {
    const [given] = fc.sample(arbitraryStoreHistory({ maxSessions: 30 }), { seed, numRuns: 1 });
    const t = await openTestApp();
    try {
      const { store, history } = await feedHistory(t, given!);
      const world = tellWorld(history);
      const { sessions, orders } = await kept(t, store);
      expect(sessions).toEqual(world.sessions.map(sessionRow).toSorted((a, b) => (a.id < b.id ? -1 : 1)));
      expect(orders).toEqual(world.orders.map(orderRow).toSorted((a, b) => (a.gid < b.gid ? -1 : 1)));
    } finally {
      await t.close();
    }
  };
  await fc.assert(fc.asyncProperty(fc.noShrink(fc.nat()), run), { numRuns: 4 });
}, 120_000);
