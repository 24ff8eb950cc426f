import { getDelivery, getWebhookHealth, searchDeliveries } from "../../contract/dashboard/deliveries.ts";
import { isoTime } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { ReadCache } from "../platform/read-cache.ts";
import { dayMs } from "../platform/retention.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import {
  type DeliveryRow,
  deliveryAnswer,
  deliveryColumns,
  parseDeliveryId,
  parseEndpointId,
  readEndpoint,
} from "./endpoint-rows.ts";
import { deliveriesPage } from "./read-routes.ts";

/** The webhook data that the dashboard shows beyond the public API [dashboard-api.deliveries]. */

interface Tried {
  at: string;
  status_code: number | null;
  error: string | null;
}

export interface WebhookDashboardDeps extends WebhookRouteDeps {
  database: Pick<Database, "reader">;
  elapsed: ElapsedClock;
}

type DetailRow = DeliveryRow & { tries: Tried[] | null };

/** A first attempt that succeeded has no entry in `tries`; it is derived from the delivery itself. */
function triesOf({ tries, status, attempts, delivered_at: at, last_status_code }: DetailRow): Tried[] {
  if (tries !== null) return tries.map((each) => ({ ...each, at: isoTime(new Date(each.at)) }));
  if (status !== "delivered" || attempts !== 1 || at === null) return [];
  return [{ at: isoTime(at), status_code: last_status_code, error: null }];
}

const searchDeliveriesRoute = (deps: WebhookRouteDeps) =>
  readRoute(searchDeliveries, (request, db) => {
    const { cursor, limit, ...filters } = request.query;
    return deliveriesPage(deps, db, searchDeliveries.id, request, filters);
  });

const getDeliveryRoute = () =>
  readRoute(getDelivery, async ({ caller, params }, db) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const deliveryId = pathId(parseDeliveryId, params["delivery_id"]);
    const endpoint = await readEndpoint(db, endpointId);
    const row = await db.first(sql<DetailRow>`
      SELECT ${deliveryColumns}, tries FROM webhook_deliveries
      WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND id = ${deliveryId}`);
    if (!row) throw notFound();
    return { ...deliveryAnswer(row, endpoint, caller), tries: triesOf(row) };
  });

interface HealthRow {
  endpoint_id: string;
  delivered: number;
  failed: number;
  waiting: number;
  last_delivered_at: Date | null;
  last_failed_at: Date | null;
}

const readHealth = (db: StoreRunner, since: Date): Promise<HealthRow[]> =>
  db.all(sql<HealthRow>`
    SELECT e.id AS endpoint_id, coalesce(d.delivered, 0) AS delivered, coalesce(d.failed, 0) AS failed,
      coalesce(d.waiting, 0) AS waiting, d.last_delivered_at, d.last_failed_at
    FROM webhook_endpoints e LEFT JOIN (
      SELECT endpoint_id, count(*) FILTER (WHERE status = 'delivered') AS delivered,
        count(*) FILTER (WHERE status = 'dead') AS failed,
        count(*) FILTER (WHERE status IN ('pending', 'delivering', 'retrying')) AS waiting,
        max(delivered_at) AS last_delivered_at,
        max(next_attempt_at) FILTER (WHERE status = 'dead') AS last_failed_at
      FROM webhook_deliveries WHERE store_id = ${ownStore} AND created_at >= ${since} GROUP BY endpoint_id
    ) AS d ON d.endpoint_id = e.id
    WHERE e.store_id = ${ownStore} ORDER BY e.created_at DESC, e.id DESC`);

function getHealthRoute({ database, calendar, elapsed }: WebhookDashboardDeps) {
  // cached, since a busy store has a million deliveries a day and every open window of this screen polls
  const known = new ReadCache<HealthRow[]>({ elapsed, rememberedMs: 5_000, atMost: 1_000 });
  return readRoute(getWebhookHealth, async ({ deadline }, db) => {
    const since = new Date(calendar.now() - dayMs);
    const rows = await known.find(db.storeId, deadline, (shared) =>
      readHealth(database.reader(shared).forStore(db.storeId), since),
    );
    const data = rows.map(({ endpoint_id, delivered, failed, waiting, last_delivered_at, last_failed_at }) => ({
      endpoint_id: formatId("whe", endpoint_id),
      day: { delivered, failed, waiting },
      last_delivered_at: last_delivered_at && isoTime(last_delivered_at),
      last_failed_at: last_failed_at && isoTime(last_failed_at),
    }));
    return { data };
  });
}

export const webhookDashboardRoutes = (deps: WebhookDashboardDeps): DashboardRoute[] => [
  memberRoute(searchDeliveriesRoute(deps)),
  memberRoute(getDeliveryRoute()),
  memberRoute(getHealthRoute(deps)),
];
