import type { FieldError } from "../../contract/errors.ts";
import { type ExportRequest, isTable } from "../../contract/exports.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Calendar } from "../platform/clock.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { storedJson } from "../platform/database/stored-json.ts";
import { parseId, type RandomBytes, uuidAt } from "../platform/ids.ts";
import { invalidFields, Problem } from "../platform/problems.ts";
import { isTimeZone } from "../platform/time-zones.ts";
import { checkSearch } from "../profiles/search/check-search.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { type ExportFilters, type ExportRow, exportColumns, fileLifetimeMs, scopeOf } from "./export-rows.ts";

/** Requests an export, through the API or by an operator [exports.request]. */

/** Errors that can be found without the store's data. */
export function mistakesInForm({ from, to, tz, format = "csv", csv_style, headers }: ExportRequest): FieldError[] {
  const errors: FieldError[] = [];
  if (csv_style !== undefined && format !== "csv")
    errors.push({ field: "body.csv_style", message: "is only used with format csv" });
  if (headers !== undefined && !isTable(format))
    errors.push({ field: "body.headers", message: `is not used with format ${format}, which has no columns` });
  if (from !== undefined && to !== undefined && from > to)
    errors.push({ field: "body.from", message: "must not be after to" });
  if (tz !== undefined && !isTimeZone(tz))
    errors.push({ field: "body.tz", message: "must be an IANA timezone such as Europe/Berlin, or UTC" });
  return errors;
}

/**
 * All errors of a request that matches the contract, by field; an empty list means it can be built [exports.filters].
 */
export async function mistakesInRequest(
  db: StoreRunner,
  versions: VersionCache,
  request: ExportRequest,
): Promise<FieldError[]> {
  const { dataset, quiz_id, search } = request;
  const errors = mistakesInForm(request);
  if (quiz_id !== undefined && !(await hasQuiz(db, quiz_id)))
    errors.push({ field: "body.quiz_id", message: "is not a quiz of this store" });
  if (search !== undefined) {
    if (dataset === "quiz_analytics") errors.push({ field: "body.search", message: "is not used with quiz_analytics" });
    else {
      const checked = await checkSearch(db, versions, search, "body.search");
      if ("errors" in checked) errors.push(...checked.errors);
    }
  }
  return errors;
}

/** Deleted quizzes count, since their people and figures remain [api.given-ids]. */
async function hasQuiz(db: StoreRunner, quizId: string): Promise<boolean> {
  const uuid = parseId("quiz", quizId);
  const found = await db.first(sql`SELECT id FROM quizzes WHERE store_id = ${ownStore} AND id = ${uuid}`);
  return found !== undefined;
}

interface RequestedExport {
  body: ExportRequest;
  source: "api" | "dashboard";
  /** throws if the caller lacks the scope */
  assertMay: (scope: Scope) => void;
  /** the file contains no contacts, so it needs no scope for them */
  withoutContacts?: boolean;
}

/**
 * Throws 422, then 403 [api.check-order], then 409 while an export of the dataset is being built.
 */
export async function requestExport(
  tx: StoreTransaction,
  deps: { calendar: Calendar; random: RandomBytes; versions: VersionCache },
  { body, source, assertMay, withoutContacts = false }: RequestedExport,
): Promise<ExportRow> {
  const errors = await mistakesInRequest(tx, deps.versions, body);
  if (errors.length > 0) throw invalidFields(errors);
  if (!withoutContacts) assertMay(scopeOf(body.dataset));
  const now = deps.calendar.now();
  const at = new Date(now);
  // programs that do not know these columns may build what leaves them null
  const csvStyle = body.csv_style === "plain" ? "plain" : null;
  const headers = body.headers === "texts" ? "texts" : null;
  // of two concurrent requests the second waits here for the first and then conflicts with its row
  // [exports.one-at-a-time]
  const row = await tx.first(sql<ExportRow>`
    INSERT INTO exports (store_id, id, dataset, format, csv_style, headers, status, source, filters, requested_at,
      expires_at, due_at, contacts)
    VALUES (${ownStore}, ${uuidAt(now, deps.random)}, ${body.dataset}, ${body.format ?? "csv"}, ${csvStyle}::text,
      ${headers}::text, 'pending', ${source}, ${filtersOf(body)}::jsonb, ${at}, ${new Date(now + fileLifetimeMs)}, ${at}, ${withoutContacts ? false : null}::boolean)
    ON CONFLICT (store_id, dataset) WHERE status IN ('pending', 'running') DO NOTHING
    RETURNING ${exportColumns}`);
  if (row) {
    tx.announce("exports");
    return row;
  }
  const detail = `An export of ${body.dataset} is being built; request another one when it is done`;
  throw new Problem("conflict", { detail });
}

/** The filters as JSON, in the form that answers show. */
function filtersOf({ from, to, quiz_id, search, tz }: ExportRequest): string {
  const filters: ExportFilters = {
    from: from ?? null,
    to: to ?? null,
    quiz_id: quiz_id ?? null,
    search: search ?? null,
    tz: tz ?? null,
  };
  return storedJson(filters);
}
