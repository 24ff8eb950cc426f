import { type ExportWithLink, getExport } from "../../contract/exports.ts";
import { isoTime } from "../platform/clock.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import type { ExportRouteDeps } from "./deps.ts";
import { exportAnswer, parseExportId, readExport } from "./export-rows.ts";
import { mintLink } from "./links.ts";

/** GET /v1/exports/{export_id}: once completed with a new download link [exports.links]. */
export const getExportRoute = ({ calendar, secrets, baseUrl }: ExportRouteDeps) =>
  readRoute(getExport, async ({ caller, params }, db): Promise<ExportWithLink> => {
    const exportId = pathId(parseExportId, params["export_id"]);
    const now = calendar.now();
    const row = await readExport(db, caller.store.id, exportId, now);
    const answer = exportAnswer(row, { baseUrl, now });
    if (row.status !== "completed") return answer;
    const { path, expiresAt } = mintLink(secrets, { storeId: caller.store.id, row, now });
    return { ...answer, download_url: baseUrl + path, download_url_expires_at: isoTime(new Date(expiresAt)) };
  });
