import { setTimeout as pause } from "node:timers/promises";
import { pagesOf, type VersionSummary } from "../journeys/http.ts";
import type { Opened } from "../server/main/foundations.ts";
import { ownStore, type Statement, sql } from "../server/platform/database/sql.ts";
import { parseId } from "../server/platform/ids.ts";
import type { KillClients, Posted, Written } from "./kill-clients.ts";
import { clientOf, type HardShop } from "./shops.ts";

/** Compares what was acknowledged with what exists. */

export interface Reconciling {
  opened: Opened;
  shop: HardShop;
  second: HardShop;
  url: string;
  clients: KillClients;
  say(line: string): void;
}

const eventsOfSession = 5;
const topicsOfSession = ["identity.captured", "profile.created", "quiz.finished", "quiz.started"];

const rowsOf = <Row>({ opened }: Reconciling, storeId: string, statement: Statement<Row>): Promise<Row[]> =>
  opened.database.reader().forStore(storeId).all(statement);

/** Sends the newest acknowledged batches again: every event must be known. */
export async function repeatNewest({ clients }: Reconciling, count: number): Promise<string[]> {
  const newest = clients.ledger.sessions.filter(({ status }) => status === 202).slice(-count);
  const failures: string[] = [];
  for (const posted of newest) {
    const again = await clients.repeat(posted);
    if (again?.status === 202 && again.body.duplicates !== eventsOfSession)
      failures.push(`acknowledged, and not known after the kill: ${posted.visit.session.id} ${again.text}`);
  }
  return failures;
}

/** Waits until no due work is left; returns the reason if some stays. */
export async function drained(reconciling: Reconciling, seconds: number): Promise<string[]> {
  const { opened, shop } = reconciling;
  const last = performance.now() + seconds * 1_000;
  for (;;) {
    const now = new Date(opened.calendar.now());
    const [open] = await rowsOf(
      reconciling,
      shop.uuid,
      sql<Record<string, number>>`SELECT
        (SELECT count(*) FROM outbox WHERE store_id = ${ownStore} AND due_at <= ${now})::int AS outbox,
        (SELECT count(*) FROM webhook_deliveries WHERE store_id = ${ownStore} AND status <> 'delivered')::int AS deliveries,
        (SELECT count(*) FROM exports WHERE store_id = ${ownStore} AND status IN ('pending', 'running'))::int AS exports`,
    );
    if (open && Object.values(open).every((count) => count === 0)) return [];
    if (performance.now() > last) return [`not drained after ${seconds} s: ${JSON.stringify(open)}`];
    await pause(250);
  }
}

/** Every session of the ledger must exist completely or not at all; returns the UUIDs of those that exist. */
export async function reconcileSessions(reconciling: Reconciling): Promise<{ there: string[]; failures: string[] }> {
  const { clients, shop, say } = reconciling;
  const { sessions } = clients.ledger;
  const failures: string[] = [];
  const events = await rowsOf(
    reconciling,
    shop.uuid,
    sql<{ session_id: string; events: number }>`SELECT session_id, count(*)::int AS events
      FROM session_events WHERE store_id = ${ownStore} GROUP BY session_id`,
  );
  const kept = new Map(events.map((row) => [row.session_id, row.events]));
  const rows = await rowsOf(
    reconciling,
    shop.uuid,
    sql<{ id: string; status: string; topics: string[] }>`SELECT s.id, s.status, coalesce(o.topics, '{}') AS topics
     FROM sessions s LEFT JOIN (
       SELECT session_id, array_agg(topic ORDER BY topic) AS topics FROM outbox
       WHERE store_id = ${ownStore} AND topic = ANY (${topicsOfSession}) GROUP BY session_id) o ON o.session_id = s.id
     WHERE s.store_id = ${ownStore}`,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const uuid = ({ visit }: Posted) => parseId("sess", visit.session.id) ?? "";
  for (const posted of sessions) {
    const id = uuid(posted);
    const [count, row] = [kept.get(id) ?? 0, found.get(id)];
    kept.delete(id);
    if (posted.status === 202 && row === undefined) failures.push(`acknowledged and lost: ${posted.visit.session.id}`);
    const whole = count === eventsOfSession && row?.status === "completed";
    const told = row?.topics.join() === topicsOfSession.join();
    if ((count > 0 || row !== undefined) && !(whole && told))
      failures.push(`half there: ${posted.visit.session.id}, ${count} events, ${row?.status}, told ${row?.topics}`);
  }
  if (kept.size > 0) failures.push(`${kept.size} sessions that nobody sent`);
  const acknowledged = sessions.filter(({ status }) => status === 202).length;
  say(
    `${sessions.length} sessions sent, ${acknowledged} acknowledged, ${found.size} there, each whole and told of once`,
  );
  return { there: [...found.keys()], failures };
}

/** Each session counts once in the figures, and once among people. */
export async function reconcileFigures(reconciling: Reconciling, sessions: number): Promise<string[]> {
  const { shop, url } = reconciling;
  const api = clientOf(shop, url);
  type Overview = { totals: Record<string, number>; freshness: { pending: boolean; stale: boolean } };
  let overview: Overview | null = null;
  for (let tries = 0; tries < 40; tries += 1) {
    const answer = await api.get<Overview>(`/v1/quizzes/${shop.quizId}/analytics/overview`);
    if (answer.status === 200) overview = answer.body;
    if (overview?.totals["views"] === sessions && !overview.freshness.stale) break;
    await pause(500);
  }
  const { views, starts, completions, email_opt_ins: mails } = overview?.totals ?? {};
  const failures: string[] = [];
  for (const [name, figure] of Object.entries({ views, starts, completions, mails }))
    if (figure !== sessions) failures.push(`${name} are ${figure}, and ${sessions} sessions are there`);
  const [people] = await rowsOf(
    reconciling,
    shop.uuid,
    sql<{ people: number }>`SELECT count(*)::int AS people
      FROM profiles WHERE store_id = ${ownStore} AND removed_at IS NULL AND sessions_count = 1`,
  );
  if (people?.people !== sessions) failures.push(`${people?.people} people of one session each, not ${sessions}`);
  return failures;
}

/** Finds versions by their labels and endpoints by their addresses: once if acknowledged, at most once otherwise. */
export async function reconcileWrites(reconciling: Reconciling): Promise<string[]> {
  const { clients, shop, second, url, say } = reconciling;
  const { versions, endpoints, publishes } = clients.ledger;
  const path = `/v1/quizzes/${shop.quizId}/versions?limit=100`;
  const all = (await pagesOf<VersionSummary>(clientOf(shop, url), path)).flat();
  const saved = all.filter(({ label }) => label !== null);
  const made = (await pagesOf<{ url: string }>(clientOf(second, url), "/v1/webhooks?limit=100")).flat();
  const rows = await rowsOf(
    reconciling,
    shop.uuid,
    sql<{ version: string }>`SELECT data->>'version_id' AS version
      FROM outbox WHERE store_id = ${ownStore} AND topic = 'quiz.published'`,
  );
  const failures = [
    ...counted(
      "version",
      versions,
      201,
      ({ body }) => body["label"],
      saved,
      ({ label }) => label,
    ),
    ...counted(
      "endpoint",
      endpoints,
      201,
      ({ body }) => body["url"],
      made,
      (endpoint) => endpoint.url,
    ),
    ...counted(
      "publish",
      publishes,
      200,
      ({ path: of }) => uuidIn(of),
      rows,
      ({ version }) => uuidIn(version),
    ),
    ...(await repeats(reconciling, shop, versions, 201)),
    ...(await repeats(reconciling, second, endpoints, 201)),
  ];
  const numbers = saved.map(({ number }) => number).sort((a, b) => a - b);
  // the first is the one with which the quiz was created
  if (numbers.some((number, index) => number !== index + 2)) failures.push("the numbers of versions have gaps");
  const acknowledged = [...versions, ...endpoints, ...publishes].filter(
    ({ status }) => status === 200 || status === 201,
  );
  say(
    `${versions.length} versions, ${publishes.length} publishes, ${endpoints.length} endpoints asked for, ` +
      `${acknowledged.length} acknowledged, each there once`,
  );
  return failures;
}

const uuidIn = (text: string): string => /ver_([0-9a-f]{32})/.exec(text)?.[1] ?? text.replaceAll("-", "");

function counted<Row>(
  what: string,
  ledger: readonly Written[],
  acknowledged: number,
  nameOf: (written: Written) => unknown,
  rows: readonly Row[],
  nameOfRow: (row: Row) => unknown,
): string[] {
  const counts = new Map<unknown, number>();
  for (const row of rows) counts.set(nameOfRow(row), (counts.get(nameOfRow(row)) ?? 0) + 1);
  const failures: string[] = [];
  for (const written of ledger) {
    const count = counts.get(nameOf(written)) ?? 0;
    if (count > 1) failures.push(`${what} ${nameOf(written)} is there ${count} times`);
    if (written.status === acknowledged && count === 0) failures.push(`${what} ${nameOf(written)} is lost`);
  }
  return failures;
}

const repeatedAtMost = 100;

/** The same request with the same key: it gets the first answer again or, if it was never done, is done once. */
async function repeats(
  { clients }: Reconciling,
  shop: HardShop,
  ledger: readonly Written[],
  acknowledged: number,
): Promise<string[]> {
  const failures: string[] = [];
  const unanswered = ledger.filter(({ status }) => status !== acknowledged).slice(-repeatedAtMost);
  const answered = ledger.filter(({ status }) => status === acknowledged).slice(-repeatedAtMost);
  for (const written of [...answered, ...unanswered]) {
    const again = await clients.ask(shop, written);
    const once = await clients.ask(shop, written);
    const same = again?.text === once?.text && once?.headers.get("idempotent-replayed") === "true";
    const first = written.status === acknowledged;
    const asAnswered = again?.body["id"] === written.id && (again?.body["secret"] ?? null) === written.secret;
    if (again?.status !== acknowledged || !same || (first && !asAnswered))
      failures.push(`repeated under its key: ${written.path} ${written.id} ${again?.status} ${again?.text}`);
  }
  return failures;
}

/** Acknowledged exports exist, were completed or failed, and each completed one was announced once. */
export async function reconcileExports(reconciling: Reconciling): Promise<string[]> {
  const { clients, shop, say } = reconciling;
  const rows = await rowsOf(
    reconciling,
    shop.uuid,
    sql<{
      id: string;
      status: string;
      error: string | null;
      claims: number;
      told: number;
    }>`SELECT e.id, e.status, e.error, e.claims, coalesce(o.told, 0)::int AS told
     FROM exports e LEFT JOIN (
       SELECT data->>'id' AS id, count(*) AS told FROM outbox
       WHERE store_id = ${ownStore} AND topic = 'export.completed' GROUP BY data->>'id') o ON o.id = 'exp_' || replace(e.id::text, '-', '')
     WHERE e.store_id = ${ownStore}`,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const failures: string[] = [];
  for (const { id, status } of clients.ledger.exports) {
    const row = found.get(parseId("exp", id ?? "") ?? "");
    if (status === 202 && row === undefined) failures.push(`export ${id} is lost`);
  }
  for (const { id, status, error, told } of rows) {
    const good = status === "completed" ? told === 1 && error === null : status === "failed" && told === 0 && error;
    if (!good) failures.push(`export ${id} is ${status}, told of ${told} times, ${error}`);
  }
  const again = rows.filter(({ claims }) => claims > 1).length;
  const failed = rows.filter(({ status }) => status === "failed").length;
  say(`${rows.length} exports, ${again} of them begun again, ${failed} failed after three kills`);
  return failures;
}
