import { listExports } from "../../contract/exports.ts";
import { cutPage, type Place, readCursor } from "../platform/cursors.ts";
import { build } from "../platform/database/statements.ts";
import { readRoute } from "../platform/http/operations.ts";
import type { ExportRouteDeps } from "./deps.ts";
import { exportAnswer, exportColumns } from "./export-rows.ts";

/** The newest exports of a store, expired ones too. `after`: the last one of the page before. */
export const selectExports = (storeId: string, { after, limit }: { after: Place | null; limit: number }) =>
  build
    .selectFrom("exports")
    .select(exportColumns)
    .where("store_id", "=", storeId)
    .$if(after !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("requested_at", "id"), "<", tuple(new Date(after?.at ?? 0), after?.id ?? "")),
      ),
    )
    .orderBy("requested_at", "desc")
    .orderBy("id", "desc")
    .limit(limit);

/** GET /v1/exports */
export const listExportsRoute = ({ secrets, calendar, baseUrl }: ExportRouteDeps) =>
  readRoute(listExports, async ({ caller, query: { cursor, limit = 20 } }, db) => {
    const storeId = caller.store.id;
    const binding = { storeId, route: listExports.id, filters: [] };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const rows = await db.all(selectExports(storeId, { after, limit: limit + 1 }));
    const placeOf = (row: { requested_at: Date; id: string }) => ({ at: row.requested_at.getTime(), id: row.id });
    const page = cutPage(rows, limit, secrets, binding, placeOf);
    const now = calendar.now();
    const data = page.rows.map((row) => exportAnswer(row, { baseUrl, now }));
    return { data, has_more: page.has_more, next_cursor: page.next_cursor };
  });
