import { createExport, type ExportWithLink, getExport, listExports } from "../../contract/exports.ts";
import { type Calendar, isoTime } from "../platform/clock.ts";
import { readPage } from "../platform/cursors.ts";
import { pathId, type Route, readRoute, writeRoute } from "../platform/http/operations.ts";
import type { RandomBytes } from "../platform/ids.ts";
import { assertScope } from "../platform/scopes.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { VersionCache } from "../quizzes/public.ts";
import {
  exportAnswerFor,
  exportPath,
  leavesOutContacts,
  mayHave,
  parseExportId,
  readExport,
  readExports,
  scopeOf,
} from "./export-rows.ts";
import { mintLink } from "./links.ts";
import { requestExport } from "./request-export.ts";

interface ExportRouteDeps {
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
  versions: VersionCache;
  baseUrl: string;
}

export const exportRoutes = (deps: ExportRouteDeps): Route[] => [
  listExportsRoute(deps),
  createExportRoute(deps),
  getExportRoute(deps),
];

/** GET /v1/exports */
const listExportsRoute = ({ secrets, calendar, baseUrl }: ExportRouteDeps) =>
  readRoute(listExports, ({ caller, query: { cursor, limit = 20 } }, db) => {
    const binding = { storeId: db.storeId, route: listExports.id, filters: [] };
    const now = calendar.now();
    return readPage(
      { secrets, binding, cursor, limit },
      (after, atMost) => readExports(db, after, atMost),
      ({ requested_at: at, id }) => ({ at: at.getTime(), id }),
      (row) => exportAnswerFor(caller, row, { baseUrl, now }),
    );
  });

/** POST /v1/exports */
const createExportRoute = (deps: ExportRouteDeps) =>
  writeRoute(
    createExport,
    async ({ caller, body }, tx) => {
      const row = await requestExport(tx, deps, {
        body,
        source: caller.by.kind === "key" ? "api" : "dashboard",
        assertMay: (scope) => assertScope(caller, scope),
        withoutContacts: leavesOutContacts(caller, body),
      });
      const answer = exportAnswerFor(caller, row, { baseUrl: deps.baseUrl, now: deps.calendar.now() });
      return { body: answer, location: exportPath(row.id) };
    },
    ({ caller, body }) => {
      if (!leavesOutContacts(caller, body)) assertScope(caller, scopeOf(body.dataset));
    },
  );

/** GET /v1/exports/{export_id}; includes a new download link once the export is completed [exports.links]. */
const getExportRoute = ({ calendar, secrets, baseUrl }: ExportRouteDeps) =>
  readRoute(getExport, async ({ caller, params }, db): Promise<ExportWithLink> => {
    const now = calendar.now();
    const row = await readExport(db, pathId(parseExportId, params["export_id"]), now);
    const answer = exportAnswerFor(caller, row, { baseUrl, now });
    if (row.status !== "completed" || !mayHave(caller, row)) return answer;
    const { path, expiresAt } = mintLink(secrets, { storeId: db.storeId, row, now });
    return { ...answer, download_url: baseUrl + path, download_url_expires_at: isoTime(new Date(expiresAt)) };
  });
