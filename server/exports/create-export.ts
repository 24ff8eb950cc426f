import { createExport } from "../../contract/exports.ts";
import { writeRoute } from "../platform/http/operations.ts";
import type { ExportRouteDeps } from "./deps.ts";
import { exportAnswer, exportPath } from "./export-rows.ts";
import { assertMayRequest, requestExport } from "./request-export.ts";

/** POST /v1/exports */
export const createExportRoute = (deps: ExportRouteDeps) =>
  writeRoute(
    createExport,
    async ({ caller, body }, tx) => {
      const allows = caller.scopes.has.bind(caller.scopes);
      const row = await requestExport(tx, deps, caller.store.id, { body, source: "api", allows });
      const answer = exportAnswer(row, { baseUrl: deps.baseUrl, now: deps.calendar.now() });
      return { body: answer, location: exportPath(row.id) };
    },
    ({ caller, body }) => assertMayRequest(body.dataset, caller.scopes.has.bind(caller.scopes)),
  );
