import { createExport } from "../../contract/exports.ts";
import { writeRoute } from "../platform/http/operations.ts";
import { exportAnswer, exportPath } from "./records.ts";
import { assertMayRequest, requestExport } from "./request-export.ts";
import type { ExportRouteTools } from "./tools.ts";

/** POST /v1/exports */
export const createExportRoute = (tools: ExportRouteTools) =>
  writeRoute(
    createExport,
    async ({ caller, body }, tx) => {
      const allows = caller.scopes.has.bind(caller.scopes);
      const row = await requestExport(tx, tools, caller.store.id, { body, source: "api", allows });
      const answer = exportAnswer(row, { baseUrl: tools.baseUrl, now: tools.calendar.now() });
      return { body: answer, location: exportPath(row.id) };
    },
    ({ caller, body }) => assertMayRequest(body.dataset, caller.scopes.has.bind(caller.scopes)),
  );
