import { ownStore, sql } from "../../server/platform/database/sql.ts";
import { formatId } from "../../server/platform/ids.ts";
import { expectRows } from "./integrators.ts";
import type { Shop } from "./ledger.ts";
import { noticeDisabled } from "./receivers.ts";
import type { World } from "./world.ts";

/** Due work: the worker's rounds, and the checks after each. */

interface DueEvent {
  id: string;
  topic: string;
  quiz_id: string | null;
}

/** People and contacts may be gone when their events are built; then nothing is sent. */
const mayBeNothing = new Set(["identity.captured", "profile.created", "profile.updated", "quiz.abandoned"]);

/** One round of the worker, and `ms` in which deliveries are sent and answered. */
export async function workerRound(world: World, shops: readonly Shop[], ms: number): Promise<void> {
  const { worker } = world;
  await worker.sessions();
  for (const shop of shops) await noticeDisabled(world, shop);
  const now = new Date(world.time.now());
  const due = await Promise.all(
    shops.map((shop) =>
      world.read(
        shop.store.uuid,
        sql<DueEvent>`SELECT id, topic, quiz_id
      FROM outbox WHERE store_id = ${ownStore} AND due_at <= ${now} ORDER BY id`,
      ),
    ),
  );
  await worker.events();
  for (const [index, shop] of shops.entries()) await checkHandedOver(world, shop, due[index] ?? []);
  await worker.exports();
  for (const shop of shops) if (shop.exports.size > 0) await noteBuilds(world, shop);
  await worker.deliveries();
  await world.pass(ms);
  for (const shop of shops) await noticeDisabled(world, shop);
}

/**
 * Each event that was handed over has a delivery for every endpoint subscribed to it, and for no other
 * [webhooks.hand-over].
 */
async function checkHandedOver(world: World, shop: Shop, due: readonly DueEvent[]): Promise<void> {
  if (due.length === 0) return;
  const ids = due.map(({ id }) => id);
  const rows = await world.read(
    shop.store.uuid,
    sql<{ event_id: string; endpoint_id: string | null }>`SELECT o.id AS event_id, d.endpoint_id
      FROM outbox o
  LEFT JOIN webhook_deliveries d ON d.store_id = ${ownStore} AND d.event_id = o.id
  WHERE o.store_id = ${ownStore} AND o.id = ANY(${ids}::uuid[]) AND o.due_at IS NULL`,
  );
  const handed = Map.groupBy(rows, (row) => row.event_id);
  for (const { id, topic, quiz_id: quiz } of due) {
    const found = handed.get(id);
    if (!found) continue;
    const to = found.flatMap((row) => (row.endpoint_id === null ? [] : [formatId("whe", row.endpoint_id)])).sort();
    const hears = shop.present.filter(
      ({ enabled, topics, quizIds }) =>
        enabled &&
        (topics as Set<string>).has(topic) &&
        (quizIds === null || quiz === null || quizIds.includes(formatId("quiz", quiz))),
    );
    const expected = hears.map((endpoint) => endpoint.id).sort();
    if (to.join() === expected.join()) continue;
    if (to.length === 0 && mayBeNothing.has(topic)) continue;
    if (topic === "webhook.endpoint.disabled" && to.every((each) => expected.includes(each))) continue;
    world.fail(
      `${topic} ${id} was handed to ${to.length ? to : "nobody"}, and not to ${expected.length ? expected : "nobody"}`,
    );
  }
}

async function noteBuilds(world: World, shop: Shop): Promise<void> {
  const rows = await world.read(
    shop.store.uuid,
    sql<{ id: string; started_at: Date | null }>`SELECT id, started_at
      FROM exports WHERE store_id = ${ownStore}`,
  );
  const started = new Map(rows.map((row) => [formatId("exp", row.id), row.started_at?.getTime() ?? null]));
  expectRows(world, shop, (id) => started.get(id) ?? null);
}

interface Waiting {
  outbox: number;
  deliveries: number;
  next: Date | null;
}

const waitingSql = sql<Waiting>`SELECT (SELECT count(*)
    FROM outbox WHERE store_id = ${ownStore} AND due_at IS NOT NULL) AS outbox,
    (SELECT count(*) FROM webhook_deliveries d
      JOIN webhook_endpoints e ON e.store_id = ${ownStore} AND e.id = d.endpoint_id
      WHERE d.store_id = ${ownStore} AND d.status IN ('pending', 'retrying', 'delivering')) AS deliveries,
    LEAST((SELECT min(due_at) FROM outbox WHERE store_id = ${ownStore}),
      (SELECT min(GREATEST(next_due_at, paused_until, lease_until)) FROM webhook_endpoints
        WHERE store_id = ${ownStore} AND next_due_at IS NOT NULL),
      (SELECT min(due_at) FROM sessions WHERE store_id = ${ownStore}),
      (SELECT min(due_at) FROM exports WHERE store_id = ${ownStore} AND status IN ('pending', 'running'))) AS next`;

const roundsAtMost = 60;
/** Many deliveries may be due at different times: rounds that stop at each of them would not finish. */
const oneByOneRounds = 20;
const strideMs = 30 * 60_000;

/** Completes all due work: nothing committed may stay waiting. */
export async function drain(world: World, shops: readonly Shop[]): Promise<void> {
  for (let round = 0; round < roundsAtMost; round++) {
    await workerRound(world, shops, 3_000);
    let next = Number.POSITIVE_INFINITY;
    let waiting = 0;
    for (const shop of shops) {
      const [row] = await world.read(shop.store.uuid, waitingSql);
      waiting += (row?.outbox ?? 0) + (row?.deliveries ?? 0) + (row?.next ? 1 : 0);
      next = Math.min(next, row?.next?.getTime() ?? Number.POSITIVE_INFINITY);
    }
    if (waiting === 0) return;
    const stride = round < oneByOneRounds ? 1 : strideMs;
    if (Number.isFinite(next)) world.time.skip(Math.max(0, next - world.time.now()) + stride);
  }
  for (const { store } of shops) {
    const [row] = await world.read(store.uuid, waitingSql);
    if (row && row.outbox + row.deliveries > 0)
      world.fail(`after ${roundsAtMost} rounds ${row.outbox} events and ${row.deliveries} deliveries wait`);
  }
}
