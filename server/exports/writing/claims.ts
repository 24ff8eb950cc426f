import type { DueStatement } from "../../platform/database/database.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../../platform/database/sql.ts";
import { uuidAt } from "../../platform/ids.ts";
import { holdRevision } from "../../stores/public.ts";
import { appendCompletedEvent } from "../completed-event.ts";
import { type ExportRow, exportColumns, fileLifetimeMs } from "../export-rows.ts";
import { type BuildDeps, type BuildLimits, type ClaimedExport, claimsAtMost, type StoredFilters } from "./deps.ts";
import type { Written } from "./output.ts";

/** Claims on exports in the database: which worker builds what [exports.workers]. */

/** Sentences for the requester, shown as the export's `error`. */
export const failures = {
  lost: "The export was begun three times and did not come to its end. Request it again.",
  broken: "The export could not be built. Request it again.",
  tooLong: "The export took longer than it may. Request less at once: fewer days, or one quiz.",
};

/** Exports that are pending or have lost their worker, longest waiting first. */
export const dueExports =
  (now: number): DueStatement<{ store_id: string }> =>
  (only) =>
    sql`
    /* due: across stores */
    SELECT store_id FROM exports WHERE due_at <= ${new Date(now)} AND status IN ('pending', 'running') ${only}
    ORDER BY due_at, store_id, id LIMIT 100`;

interface OpenRow {
  id: string;
  dataset: ClaimedExport["dataset"];
  format: ClaimedExport["format"];
  status: "pending" | "running";
  csv_style: ClaimedExport["csvStyle"] | null;
  headers: ClaimedExport["headers"] | null;
  filters: StoredFilters;
  contacts: boolean | null;
  claims: number;
  requested_at: Date;
  due_at: Date;
  lease_id: string | null;
}

/**
 * Gives back what lost workers had claimed, and claims the store's longest waiting export unless another is being
 * built. Returns null if there is nothing to do.
 *
 * Holds the store's revision for these few milliseconds. An erasure under way ends first, so that no snapshot of this
 * build contains what it removes; a later one finds the build and makes it start again.
 *
 * The lease is noted twice: a program of an earlier release, which would build another format, notes it once, and the
 * database refuses that [exports.layout-lease].
 *
 * @param room false: claim nothing, only give back what lost workers had
 */
export async function claimExport(
  tx: StoreTransaction,
  { calendar, random }: Pick<BuildDeps, "calendar" | "random">,
  { leaseMs }: Pick<BuildLimits, "leaseMs">,
  room: boolean,
): Promise<ClaimedExport | null> {
  if (room) await holdRevision(tx, tx.storeId);
  const rows = await tx.all(sql<OpenRow>`
    SELECT id, dataset, format, csv_style, headers, status, filters, contacts, claims, requested_at, due_at, lease_id FROM exports
    WHERE store_id = ${ownStore} AND status IN ('pending', 'running') ORDER BY id FOR UPDATE`);
  const now = calendar.now();
  const isDue = (row: OpenRow) => row.due_at.getTime() <= now;
  for (const { id, lease_id: lease, status, claims, due_at } of rows) {
    if (status !== "running" || due_at.getTime() > now) continue;
    if (claims < claimsAtMost) await giveBack(tx, { id, lease }, now);
    else await failClaim(tx, { id, lease }, now, failures.lost);
  }
  if (!room || rows.some((row) => row.status === "running" && !isDue(row))) return null;
  const waiting = rows.filter((row) => isDue(row) && (row.status === "pending" || row.claims < claimsAtMost));
  const [next] = waiting.toSorted((a, b) => a.requested_at.getTime() - b.requested_at.getTime());
  if (!next) return null;
  const lease = uuidAt(now, random);
  const until = new Date(calendar.afterReal(leaseMs));
  await tx.all(sql`
    UPDATE exports SET status = 'running', started_at = ${new Date(now)}, claims = claims + 1, lease_id = ${lease},
      lease_until = ${until}, due_at = ${until}, layout_lease_id = ${lease}
    WHERE store_id = ${ownStore} AND id = ${next.id}`);
  const { id, dataset, format, filters, contacts, claims } = next;
  const layout = { format, csvStyle: next.csv_style ?? "spreadsheet", headers: next.headers ?? "keys" } as const;
  const request = { storeId: tx.storeId, id, dataset, ...layout, filters, contacts };
  return { ...request, claim: claims + 1, lease, startedAt: new Date(now) };
}

/** An export that a worker has claimed, valid as long as no other worker has it. */
interface ClaimKey {
  id: string;
  lease: string | null;
}

const stillClaimed = ({ id, lease }: ClaimKey) =>
  sql`store_id = ${ownStore} AND id = ${id} AND status = 'running' AND lease_id IS NOT DISTINCT FROM ${lease}::uuid`;

/** Lets any worker start it again from `at` (calendar time in ms). */
export async function giveBack(db: StoreRunner, claimed: ClaimKey, at: number): Promise<void> {
  await db.all(sql`
    UPDATE exports SET status = 'pending', started_at = NULL, lease_id = NULL, lease_until = NULL,
      due_at = ${new Date(at)} WHERE ${stillClaimed(claimed)}`);
}

/** Marks it as failed; from `now` on the sweep removes any files it left. */
export async function failClaim(db: StoreRunner, claimed: ClaimKey, now: number, error: string): Promise<void> {
  await db.all(sql`
    UPDATE exports SET status = 'failed', error = ${error}, lease_id = NULL, lease_until = NULL,
      due_at = ${new Date(now)} WHERE ${stillClaimed(claimed)}`);
}

/** Returns false if another worker has the build. `until`: calendar time in ms. */
export async function renewClaim(db: StoreRunner, claimed: ClaimKey, until: number): Promise<boolean> {
  const row = await db.first(sql`
    UPDATE exports SET lease_until = ${new Date(until)}, due_at = ${new Date(until)} WHERE ${stillClaimed(claimed)}
    RETURNING id`);
  return row !== undefined;
}

/** Completes the export and appends export.completed to the outbox. Returns false if another worker has the build. */
export async function completeClaim(
  tx: StoreTransaction,
  { calendar, random, baseUrl }: Pick<BuildDeps, "calendar" | "random" | "baseUrl">,
  claimed: ClaimKey,
  { rows, bytes, digest }: Written,
): Promise<boolean> {
  const now = calendar.now();
  const expires = new Date(now + fileLifetimeMs);
  const row = await tx.first(sql<ExportRow>`
    UPDATE exports SET status = 'completed', completed_at = ${new Date(now)}, expires_at = ${expires},
      due_at = ${expires}, row_count = ${rows}, bytes = ${bytes}, digest = ${digest}, lease_id = NULL,
      lease_until = NULL
    WHERE ${stillClaimed(claimed)} RETURNING ${exportColumns}`);
  if (!row) return false;
  await appendCompletedEvent(tx, { random, baseUrl, now }, row);
  return true;
}
