import type { Database } from "../../platform/database/database.ts";
import { ownStore, type Runner, sql, type Transaction } from "../../platform/database/sql.ts";
import { written } from "../../platform/database/statements.ts";
import { uuidAt } from "../../platform/ids.ts";
import { appendEvents } from "../../platform/outbox.ts";
import { holdRevision } from "../../stores/public.ts";
import { type ExportRow, exportAnswer, exportColumns, keptMs } from "../export-rows.ts";
import { type BuildDeps, type BuildLimits, type ClaimedExport, claimsAtMost, type StoredFilters } from "./deps.ts";
import type { Written } from "./file.ts";

/** Who builds what, as the table of exports has it [exports.workers]. */

/** Sentences for whoever asked, as `error` answers them. */
export const failures = {
  lost: "The export was begun three times and did not come to its end. Request it again.",
  broken: "The export could not be built. Request it again.",
  tooLong: "The export took longer than it may. Request less at once: fewer days, or one quiz.",
};

/** UUIDs of stores in which there is something to begin, or a worker that was lost; longest waiting first. */
export async function storesWithDueExports(database: Database, now: number): Promise<string[]> {
  const rows = await database.due(
    (only) => sql<{ store_id: string; id: string }>`
      /* due: across stores */
      SELECT store_id, id FROM exports WHERE due_at <= ${new Date(now)} AND status IN ('pending', 'running') ${only}
      ORDER BY due_at, store_id, id LIMIT 100`,
  );
  return [...new Set(rows.map((row) => row.store_id))];
}

interface OpenRow {
  id: string;
  dataset: ClaimedExport["dataset"];
  format: ClaimedExport["format"];
  status: "pending" | "running";
  filters: StoredFilters;
  claims: number;
  requested_at: Date;
  due_at: Date;
}

const claimSql = `
  UPDATE exports SET status = 'running', started_at = $3, claims = claims + 1, lease_id = $4, lease_until = $5, due_at = $5
  WHERE store_id = $1 AND id = $2`;

/**
 * Puts aside what was lost, and takes the store's longest waiting export, unless one of the store is being built. Null:
 * nothing to do.
 *
 * Holds the store's revision for these few milliseconds: an erasure that is under way ends first, so that what it takes
 * out is in no snapshot of this build; one that comes later finds the build and makes it begin again.
 *
 * @param room false: nothing can be taken, only what was lost is looked after
 */
export async function claimExport(
  tx: Transaction,
  { calendar, random }: Pick<BuildDeps, "calendar" | "random">,
  { leaseMs }: Pick<BuildLimits, "leaseMs">,
  { storeId, room }: { storeId: string; room: boolean },
): Promise<ClaimedExport | null> {
  if (room) await holdRevision(tx, storeId);
  const rows = await tx.forStore(storeId).all(sql<OpenRow>`
  SELECT id, dataset, format, status, filters, claims, requested_at, due_at FROM exports
  WHERE store_id = ${ownStore} AND status IN ('pending', 'running') ORDER BY id FOR UPDATE`);
  const now = calendar.now();
  const isDue = (row: OpenRow) => row.due_at.getTime() <= now;
  for (const row of rows) if (row.status === "running" && isDue(row)) await putAside(tx, storeId, row, now);
  if (!room || rows.some((row) => row.status === "running" && !isDue(row))) return null;
  const waiting = rows.filter((row) => isDue(row) && (row.status === "pending" || row.claims < claimsAtMost));
  const [next] = waiting.toSorted((a, b) => a.requested_at.getTime() - b.requested_at.getTime());
  if (!next) return null;
  const lease = uuidAt(now, random);
  await tx.all(written(claimSql, [storeId, next.id, new Date(now), lease, new Date(calendar.afterReal(leaseMs))]));
  const { id, dataset, format, filters, claims } = next;
  return { storeId, id, dataset, format, filters, claim: claims + 1, lease, startedAt: new Date(now) };
}

const putAside = (tx: Transaction, storeId: string, { id, claims }: OpenRow, now: number) =>
  claims < claimsAtMost
    ? tx.all(written(waitSql, [storeId, id, null, new Date(now)]))
    : tx.all(written(failSql, [storeId, id, null, new Date(now), failures.lost]));

/** `$3`: the lease that has to hold it still; null: whoever does */
const held = "store_id = $1 AND id = $2 AND status = 'running' AND ($3::uuid IS NULL OR lease_id = $3)";

const waitSql = `
  UPDATE exports SET status = 'pending', started_at = NULL, lease_id = NULL, lease_until = NULL, due_at = $4 WHERE ${held}`;

/** The sweep removes what may be left of its files, from `due_at` on. */
const failSql = `
  UPDATE exports SET status = 'failed', error = $5, lease_id = NULL, lease_until = NULL, due_at = $4 WHERE ${held}`;

const renewSql = `UPDATE exports SET lease_until = $4, due_at = $4 WHERE ${held} RETURNING id`;

/** False: the build is not this worker's any more. `until`: calendar time in ms. */
export async function renewClaim(db: Runner, claimed: ClaimedExport, until: number): Promise<boolean> {
  const { storeId, id, lease } = claimed;
  return (await db.first(written<{ id: string }>(renewSql, [storeId, id, lease, new Date(until)]))) !== undefined;
}

/** Another worker, or this one, begins again from `at` (calendar time in ms) on. */
export const giveBack = (db: Runner, { storeId, id, lease }: ClaimedExport, at: number): Promise<unknown> =>
  db.all(written(waitSql, [storeId, id, lease, new Date(at)]));

export const failClaim = (db: Runner, { storeId, id, lease }: ClaimedExport, now: number, error: string) =>
  db.all(written<never>(failSql, [storeId, id, lease, new Date(now), error]));

const completeSql = `
  UPDATE exports SET status = 'completed', completed_at = $4, expires_at = $5, due_at = $5, row_count = $6, bytes = $7,
    digest = $8, lease_id = NULL, lease_until = NULL
  WHERE ${held} RETURNING ${exportColumns.join(", ")}`;

/**
 * Completed, and export.completed put into the outbox [exports.event]. False: the build is not this worker's any more.
 */
export async function completeClaim(
  tx: Transaction,
  { calendar, random, baseUrl }: Pick<BuildDeps, "calendar" | "random" | "baseUrl">,
  { storeId, id, lease }: ClaimedExport,
  { rows, bytes, digest }: Written,
): Promise<boolean> {
  const now = calendar.now();
  const at = new Date(now);
  const parameters = [storeId, id, lease, at, new Date(now + keptMs), rows, bytes, digest];
  const row = await tx.first(written<ExportRow>(completeSql, parameters));
  if (!row) return false;
  const data = { ...exportAnswer(row, { baseUrl, now }), download_url: null, download_url_expires_at: null };
  const nobody = { quizId: null, sessionId: null, profileId: null };
  const event = { id: uuidAt(now, random), topic: "export.completed", created: at, due: at, ...nobody, data };
  await appendEvents(tx, storeId, now, [event]);
  return true;
}
