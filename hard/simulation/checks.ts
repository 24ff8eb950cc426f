import { ownStore, raw, sql } from "../../server/platform/database/sql.ts";
import { modelSession } from "../../testkit/session-model.ts";
import { erasedValues } from "./contacts.ts";
import { inSeq, type KnownSession, type Shop } from "./ledger.ts";
import type { World } from "./world.ts";

/**
 * What must hold at the end of a seed: the database contains what the ledger and the models derive from the
 * acknowledged requests.
 */
export async function checkAll(world: World, shop: Shop): Promise<void> {
  await checkEvents(world, shop);
  await checkSessions(world, shop);
  await checkRevisions(world, shop);
  await checkOutbox(world, shop);
  await checkDeliveries(world, shop);
  if (shop.exact) await checkPeople(world, shop);
  else await checkErased(world, shop);
}

interface EventRow {
  session_id: string;
  id: string;
  at: number;
}

const uuidOf = (id: string): string => id.slice(id.indexOf("_") + 1).replaceAll("-", "");

/** Each acknowledged event exists once, at its corrected time, and no others exist. */
async function checkEvents(world: World, shop: Shop): Promise<void> {
  const rows = await world.read(
    shop.store.uuid,
    sql<EventRow>`SELECT session_id, id, (extract(epoch FROM at) * 1000)::bigint AS at
      FROM session_events WHERE store_id = ${ownStore}`,
  );
  const expected = new Map<string, number>();
  for (const session of shop.sessions) {
    for (const { id, time } of session.kept.values()) expected.set(`${uuidOf(session.id)} ${uuidOf(id)}`, time);
  }
  for (const row of rows) {
    const key = `${uuidOf(`_${row.session_id}`)} ${uuidOf(`_${row.id}`)}`;
    const time = expected.get(key);
    if (time === undefined) world.fail(`the event ${key} was never acknowledged`);
    else if (time !== row.at) world.fail(`the event ${key} is at ${row.at}, not at ${time}`);
    expected.delete(key);
  }
  for (const key of expected.keys()) world.fail(`the acknowledged event ${key} is not there`);
}

interface SessionRow {
  id: string;
  status: string;
  opened: number;
  started: number | null;
  completed: number | null;
  ended: number | null;
  channel: string;
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const sessionsSql = sql<SessionRow>`SELECT id, status, ${raw(ms("opened_at"))} AS opened,
    ${raw(ms("started_at"))} AS started, ${raw(ms("completed_at"))} AS completed,
    ${raw(ms("ended_at"))} AS ended, channel FROM sessions WHERE store_id = ${ownStore}`;

/** Sessions equal the reduction of their acknowledged events [sessions.event-set]. */
async function checkSessions(world: World, shop: Shop): Promise<void> {
  const rows = await world.read(shop.store.uuid, sessionsSql);
  const byId = new Map(rows.map((row) => [uuidOf(`_${row.id}`), row]));
  const kept = shop.sessions.filter((session) => session.kept.size > 0);
  if (rows.length !== kept.length) world.fail(`there are ${rows.length} sessions, not ${kept.length}`);
  for (const session of kept) {
    const row = byId.get(uuidOf(session.id));
    const model = modelled(session, world.time.now());
    if (!row || !model) {
      world.fail(`${session.id} is not there`);
      continue;
    }
    const { status, opened, started, completed, ended } = model;
    const expected = [status, opened, started, completed, ended, session.facts.channel];
    const found = [row.status, row.opened, row.started, row.completed, row.ended, row.channel];
    if (expected.join() !== found.join()) world.fail(`${session.id} is ${found}, not ${expected}`);
  }
}

function modelled(session: KnownSession, now: number) {
  const edition = session.quiz.versions[session.version]?.edition;
  return edition ? modelSession(edition.quiz, inSeq(session.kept.values()), now) : null;
}

/** A store's revisions have no gap (changes older than a week are deleted). */
async function checkRevisions(world: World, shop: Shop): Promise<void> {
  const [row] = await world.read(
    shop.store.uuid,
    sql<{
      first: number | null;
      last: number | null;
      found: number;
      revision: number;
    }>`SELECT min(c.revision) AS first, max(c.revision) AS last, count(DISTINCT c.revision) AS found, r.revision
     FROM store_revisions r LEFT JOIN changes c ON c.store_id = r.store_id
     WHERE r.store_id = ${ownStore} GROUP BY r.revision`,
  );
  if (!row || row.first === null || row.last === null) return;
  if (row.last !== row.revision) world.fail(`the newest change is ${row.last}, and the revision ${row.revision}`);
  if (row.found !== row.last - row.first + 1)
    world.fail(`${row.found} revisions from ${row.first} to ${row.last}: there is a gap`);
}

/** Events went into the outbox together with their causes: as many as the models predict. */
async function checkOutbox(world: World, shop: Shop): Promise<void> {
  const rows = await world.read(
    shop.store.uuid,
    sql<{ topic: string; session_id: string | null; n: number }>`SELECT topic, session_id, count(*) AS n
      FROM outbox WHERE store_id = ${ownStore} GROUP BY topic, session_id`,
  );
  for (const { topic, session_id: id, n } of rows) {
    if (topic.startsWith("quiz.") && id !== null && n !== 1)
      world.fail(`${topic} of session ${id} is there ${n} times`);
  }
  const sessionsOf = (topic: string) =>
    rows.filter((row) => row.topic === topic).map((row) => uuidOf(`_${row.session_id}`));
  const model = shop.sessions.flatMap((session) => {
    const told = session.kept.size > 0 && !session.preview ? modelled(session, world.time.now()) : null;
    return told ? [{ id: uuidOf(session.id), told }] : [];
  });
  const expected = {
    "quiz.started": model.flatMap(({ id, told }) => (told.started === null ? [] : [id])),
    "quiz.finished": model.flatMap(({ id, told }) => (told.completed === null ? [] : [id])),
  };
  for (const [topic, ids] of Object.entries(expected)) {
    const missing = ids.filter((id) => !sessionsOf(topic).includes(id));
    if (missing.length > 0) world.fail(`${topic} is missing of ${missing.slice(0, 3)}`);
  }
  if (!shop.exact || !shop.grouped) return;
  for (const topic of ["identity.captured", "profile.created", "profile.updated"]) {
    const found = rows.filter((row) => row.topic === topic).reduce((sum, row) => sum + row.n, 0);
    const wanted = shop.caused.get(topic) ?? 0;
    if (found !== wanted) world.fail(`${topic} is in the outbox ${found} times, not ${wanted}`);
  }
}

/** Everything to be sent was delivered, or is dead with a stated reason. */
async function checkDeliveries(world: World, shop: Shop): Promise<void> {
  const rows = await world.read(
    shop.store.uuid,
    sql<{
      id: string;
      status: string;
      attempts: number;
      error: string | null;
      at: Date | null;
    }>`SELECT d.id, d.status, d.attempts, d.last_error AS error, d.delivered_at AS at FROM webhook_deliveries d
     JOIN webhook_endpoints e ON e.store_id = ${ownStore} AND e.id = d.endpoint_id WHERE d.store_id = ${ownStore}`,
  );
  for (const { id, status, attempts, error, at } of rows) {
    if (attempts > 8) world.fail(`delivery ${id} was attempted ${attempts} times`);
    if (status === "delivered" && at === null) world.fail(`delivery ${id} was delivered at no time`);
    if (status === "dead" && error === null) world.fail(`delivery ${id} is dead without a reason`);
    if (status !== "delivered" && status !== "dead")
      world.fail(`delivery ${id} is ${status} when nothing is due any more`);
  }
}

/** People match the model [people.any-arrival]. */
async function checkPeople(world: World, shop: Shop): Promise<void> {
  const rows = await world.read(
    shop.store.uuid,
    sql<{ contacts: string[] }>`SELECT array_agg(kind || ':' || value) AS contacts
      FROM identities WHERE store_id = ${ownStore} GROUP BY profile_id`,
  );
  const found = rows.map(({ contacts }) => contacts.sort().join()).sort();
  const expected = shop.people.people.map(({ contacts }) => [...contacts].sort().join()).sort();
  if (found.join(" ") !== expected.join(" "))
    world.fail(`people are [${found.join(" ")}], not [${expected.join(" ")}]`);
}

const personalTables = [
  "session_events",
  "sessions",
  "captures",
  "identities",
  "profiles",
  "order_keys",
  "commerce_requests",
  "webhook_deliveries",
  "outbox",
  "exports",
] as const;

/** Nothing is left of a contact that was erased [erasure.answers]. */
async function checkErased(world: World, shop: Shop): Promise<void> {
  const values = erasedValues(shop);
  if (values.length === 0) return;
  for (const table of personalTables) {
    const [row] = await world.read(
      shop.store.uuid,
      sql<{ n: number }>`SELECT count(*) AS n
        FROM ${raw(table)} t WHERE store_id = ${ownStore}
         AND EXISTS (SELECT 1 FROM unnest(${values}::text[]) AS v WHERE position(v IN lower(t::text)) > 0)`,
    );
    if (row && row.n > 0) world.fail(`${row.n} rows of ${table} hold a contact that was erased`);
  }
}
