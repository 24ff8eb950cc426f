import { listEndpoints } from "../../contract/webhooks.ts";
import { cutPage, readCursor } from "../platform/cursors.ts";
import { build } from "../platform/database/statements.ts";
import { readRoute } from "../platform/http/operations.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { endpointAnswer, endpointColumns } from "./endpoint-rows.ts";

/** GET /v1/webhooks, on a paused plan too [api.plans]. */
export const listEndpointsRoute = ({ secrets, calendar }: WebhookRouteDeps) =>
  readRoute(listEndpoints, async ({ caller, query: { cursor, limit = 20 } }, db) => {
    const storeId = caller.store.id;
    const binding = { storeId, route: listEndpoints.id, filters: [] };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const rows = await db.all(
      build
        .selectFrom("webhook_endpoints")
        .select(endpointColumns)
        .where("store_id", "=", storeId)
        .$if(after !== null, (query) =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple("created_at", "id"), "<", tuple(new Date(after?.at ?? 0), after?.id ?? "")),
          ),
        )
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1),
    );
    const placeOf = (row: { created_at: Date; id: string }) => ({ at: row.created_at.getTime(), id: row.id });
    const page = cutPage(rows, limit, secrets, binding, placeOf);
    const now = calendar.now();
    const data = page.rows.map((row) => endpointAnswer(row, now));
    return { data, has_more: page.has_more, next_cursor: page.next_cursor };
  });
