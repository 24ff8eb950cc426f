import {
  type CsvStyle,
  type ExportDataset,
  type ExportFormat,
  type ExportHeaders,
  type ExportRequest,
  type ExportSummary,
  isTable,
} from "../../contract/exports.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Caller } from "../platform/caller.ts";
import { isoTime, timeOrNull } from "../platform/clock.ts";
import { older, type Place } from "../platform/cursors.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { dayIn } from "../platform/time-zones.ts";

/** Rows of exports, their representation in the API, and the names of their files. */

export interface ExportRow {
  /** UUID */
  id: string;
  dataset: string;
  format: string;
  /** null: as every CSV was before there were others */
  csv_style: string | null;
  /** likewise */
  headers: string | null;
  status: string;
  source: string;
  filters: unknown;
  requested_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  expires_at: Date;
  row_count: number | null;
  bytes: number | null;
  error: string | null;
  digest: Buffer | null;
  claims: number;
  /** false if the file leaves contacts out */
  contacts: boolean | null;
}

export const exportColumns = raw(
  "id, dataset, format, csv_style, headers, status, source, filters, requested_at, started_at, completed_at, expires_at, " +
    "row_count, bytes, error, digest, claims, contacts",
);

export type ExportFilters = ExportSummary["filters"];

/** How long a file is kept after its completion, in ms [exports.expiry]. */
export const fileLifetimeMs = 7 * 24 * 60 * 60 * 1000;

export const parseExportId = (text: string) => parseId("exp", text);
export const exportPath = (id: string) => `/v1/exports/${formatId("exp", id)}`;

/** Whether its time is up, even if the sweep has not run yet. `now`: calendar time in ms. */
export const hasExpired = (row: Pick<ExportRow, "status" | "expires_at">, now: number): boolean =>
  row.status === "expired" || (row.status === "completed" && row.expires_at.getTime() <= now);

/** The scope that other routes require for the data of a dataset [exports.scopes]. */
export const scopeOf = (dataset: ExportDataset): Scope =>
  dataset === "quiz_analytics" ? "analytics:read" : "profiles:read";

/**
 * Whether the caller may have the file [dashboard-api.contacts]. Any key of the store may [exports.scopes]; a person
 * may only if their role may read its contents [dashboard-api.export-contacts].
 */
export function mayHave(
  { by, scopes }: Caller,
  { dataset, contacts }: Pick<ExportRow, "dataset" | "contacts">,
): boolean {
  if (by.kind === "key" || scopes.has(scopeOf(dataset as ExportDataset))) return true;
  return contacts === false && by.role !== "analyst";
}

/**
 * Whether this caller gets a file without contacts: an editor does for responses. All other files contain what was
 * requested, and require the dataset's scope.
 */
export const leavesOutContacts = ({ by, scopes }: Caller, { dataset, search }: ExportRequest): boolean =>
  by.kind === "person" &&
  by.role !== "analyst" &&
  dataset === "responses" &&
  // which people a search finds reveals something about their contacts
  search === undefined &&
  !scopes.has(scopeOf(dataset));

/**
 * The export as this caller may see it: without its search if they may not have the file, since a search can contain a
 * contact.
 */
export const exportAnswerFor = (caller: Caller, row: ExportRow, at: AnswerAt): ExportSummary => {
  const answer = exportAnswer(row, at);
  return mayHave(caller, row) ? answer : { ...answer, filters: { ...answer.filters, search: null } };
};

interface AnswerAt {
  baseUrl: string;
  /** calendar time in ms */
  now: number;
}

export function exportAnswer(row: ExportRow, { baseUrl, now }: AnswerAt): ExportSummary {
  return {
    id: formatId("exp", row.id),
    dataset: row.dataset as ExportDataset,
    ...layoutOf(row),
    status: hasExpired(row, now) ? "expired" : (row.status as ExportSummary["status"]),
    source: row.source as ExportSummary["source"],
    filters: inOrder(row.filters as ExportFilters),
    requested_at: isoTime(row.requested_at),
    started_at: timeOrNull(row.started_at),
    completed_at: timeOrNull(row.completed_at),
    expires_at: isoTime(row.expires_at),
    row_count: row.row_count,
    bytes: row.bytes,
    error: row.error,
    urls: { self: baseUrl + exportPath(row.id) },
  };
}

/** The format, with the choices that it has. */
function layoutOf(row: ExportRow): Pick<ExportSummary, "format" | "csv_style" | "headers"> {
  const format = row.format as ExportFormat;
  return {
    format,
    csv_style: format === "csv" ? ((row.csv_style as CsvStyle | null) ?? "spreadsheet") : null,
    headers: isTable(format) ? ((row.headers as ExportHeaders | null) ?? "keys") : null,
  };
}

/** Restores the order of fields, which PostgreSQL's jsonb does not keep. */
const inOrder = ({ from, to, quiz_id, search, tz }: ExportFilters): ExportFilters => ({
  from,
  to,
  quiz_id,
  search,
  tz,
});

/**
 * The storage name of a build's file. Each claim has its own, so that a worker that lost its claim cannot write into
 * the next one's file.
 *
 * @param claim 1 for the first
 */
export const fileName = (storeId: string, row: Pick<ExportRow, "id" | "format">, claim: number): string =>
  `${storeId}/${row.id}-${claim}.${row.format}`;

/** The file name offered to people: the dataset and the day of the request in UTC. */
export const nameForPeople = ({ dataset, format, requested_at: at }: ExportRow): string =>
  `${dataset}-${dayIn(at.getTime(), "UTC")}.${format}`;

/** An export that has not expired; otherwise throws 404 [api.not-found]. */
export async function readExport(db: StoreRunner, exportId: string, now: number): Promise<ExportRow> {
  const row = await db.first(sql<ExportRow>`
    SELECT ${exportColumns} FROM exports WHERE store_id = ${ownStore} AND id = ${exportId}`);
  if (!row || hasExpired(row, now)) throw notFound();
  return row;
}

/**
 * The newest exports of a store, including expired ones [exports.list]. `after`: the last export of the previous page.
 */
export const readExports = (db: StoreRunner, after: Place | null, atMost: number): Promise<ExportRow[]> =>
  db.all(sql<ExportRow>`
    SELECT ${exportColumns} FROM exports
    WHERE store_id = ${ownStore} ${older(after, "requested_at, id")}
    ORDER BY requested_at DESC, id DESC LIMIT ${atMost}`);
