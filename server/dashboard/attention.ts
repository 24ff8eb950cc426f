import { getAttention } from "../../contract/dashboard/home.ts";
import { creditsThresholdShare } from "../../contract/limits.ts";
import type { Caller } from "../platform/caller.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import { ReadCache } from "../platform/read-cache.ts";
import { dayIn } from "../platform/time-zones.ts";
import type { Credits } from "../stores/public.ts";

/** The list of what needs attention in a store [dashboard-api.attention]. */

type Item = (typeof getAttention)["answer"]["example"]["data"][number];

interface EndpointRow {
  id: string;
  url: string;
  status: string;
  disabled_reason: string | null;
  failing_since: Date | null;
}

interface QuizRow {
  id: string;
  name: string;
}

interface Found {
  endpoints: EndpointRow[];
  differing: QuizRow[];
  live: number;
  orders: boolean;
  /** time of the oldest pending request of a customer for their data */
  requested: Date | null;
}

const listedAtMost = 20;
/**
 * Only this many quizzes, the last changed ones, have their draft compared: each comparison reads two whole documents
 * of up to a megabyte.
 */
const comparedAtMost = 50;

async function readAttention(db: StoreRunner): Promise<Found> {
  const endpoints = await db.all(sql<EndpointRow>`
    SELECT id, url, status, disabled_reason, failing_since FROM webhook_endpoints
    WHERE store_id = ${ownStore} AND (failing_since IS NOT NULL OR disabled_reason IN ('failing', 'gone'))
    ORDER BY created_at DESC, id DESC`);
  const differing = await db.all(sql<QuizRow>`
    SELECT q.id, q.name FROM (
      SELECT id, name, draft, published_version_id, updated_at FROM quizzes
      WHERE store_id = ${ownStore} AND deleted_at IS NULL AND NOT archived AND published_version_id IS NOT NULL
      ORDER BY updated_at DESC, id LIMIT ${comparedAtMost}
    ) AS q
    JOIN quiz_versions v ON v.store_id = ${ownStore} AND v.id = q.published_version_id
    WHERE q.draft IS DISTINCT FROM v.document ORDER BY q.updated_at DESC, q.id LIMIT ${listedAtMost}`);
  const row = await db.first(sql<Pick<Found, "live" | "orders" | "requested">>`
    SELECT (SELECT count(*) FROM quizzes q WHERE q.store_id = ${ownStore} AND q.deleted_at IS NULL
        AND q.published_version_id IS NOT NULL) AS live,
      EXISTS (SELECT 1 FROM orders o WHERE o.store_id = ${ownStore})
        OR EXISTS (SELECT 1 FROM commerce_deliveries d WHERE d.store_id = ${ownStore}) AS orders,
      (SELECT min(c.received_at) FROM commerce_requests c WHERE c.store_id = ${ownStore}
        AND c.topic = 'customers/data_request' AND c.done_at IS NULL) AS requested
    FROM store_revisions r WHERE r.store_id = ${ownStore}`);
  const { live = 0, orders = false, requested = null } = row ?? {};
  return { endpoints, differing, live, orders, requested };
}

function endpointItems({ endpoints }: Found, { store, scopes }: Caller): Item[] {
  if (!scopes.has("webhooks:manage")) return [];
  return endpoints.map(({ id, url, status, disabled_reason, failing_since }) => {
    const publicId = formatId("whe", id);
    const about = { subject: { id: publicId, name: url }, url: `/dashboard/developers/webhooks/${publicId}` };
    if (status === "disabled") {
      const why = disabled_reason === "gone" ? "its receiver said that it is gone" : "nothing arrived for five days";
      return { ...about, kind: "webhook_disabled", severity: "problem", text: `The webhook was switched off: ${why}.` };
    }
    const since = failing_since === null ? "" : ` since ${dayIn(failing_since.getTime(), store.timezone)}`;
    return { ...about, kind: "webhook_failing", severity: "problem", text: `Deliveries have failed${since}.` };
  });
}

const draftItem = ({ id, name }: QuizRow): Item => {
  const publicId = formatId("quiz", id);
  return {
    kind: "draft_differs",
    severity: "hint",
    text: "The draft has changes that shoppers do not see yet.",
    subject: { id: publicId, name },
    url: `/dashboard/quizzes/${publicId}/edit`,
  };
};

function storeItems({ live, orders, requested }: Found, { store, scopes }: Caller, creditsUsed: number): Item[] {
  const items: Item[] = [];
  const add = (kind: Item["kind"], severity: Item["severity"], text: string, url: string) =>
    items.push({ kind, severity, text, subject: null, url });
  const { credits_limit: limit } = store.allowances;
  if (store.plan === "other")
    add("plan_paused", "problem", "The plan is paused: the API and webhooks are off.", "/dashboard/settings/plan");
  if (creditsUsed >= limit)
    add("credits", "problem", `All ${limit} credits of this month are used.`, "/dashboard/settings/plan");
  else if (creditsUsed >= Math.floor(limit * creditsThresholdShare))
    add("credits", "hint", `${creditsUsed} of ${limit} credits of this month are used.`, "/dashboard/settings/plan");
  if (requested !== null && scopes.has("profiles:read")) {
    const day = dayIn(requested.getTime(), store.timezone);
    const text = `A customer asked on ${day} what is stored about them, and waits for an answer.`;
    add("data_request_waiting", "problem", text, "/dashboard/settings/data-requests");
  }
  if (!orders)
    add(
      "no_orders_connected",
      "hint",
      "No orders come in yet, so nothing is known of revenue.",
      "/dashboard/settings/commerce",
    );
  if (live === 0) add("no_quiz_live", "hint", "No quiz is live yet.", "/dashboard/quizzes");
  return items;
}

export interface AttentionDeps {
  database: Pick<Database, "reader">;
  elapsed: ElapsedClock;
  credits: Credits;
}

export function attentionRoute({ database, elapsed, credits }: AttentionDeps): DashboardRoute {
  // Home polls every few seconds, and comparing drafts with live versions reads whole documents
  const known = new ReadCache<Found>({ elapsed, rememberedMs: 5_000, atMost: 1_000 });
  return memberRoute(
    readRoute(getAttention, async ({ caller, deadline }, db) => {
      const found = await known.find(db.storeId, deadline, (shared) =>
        readAttention(database.reader(shared).forStore(db.storeId)),
      );
      const used = await credits.used(caller.store, deadline);
      const items = [
        ...endpointItems(found, caller),
        ...storeItems(found, caller, used),
        ...found.differing.map(draftItem),
      ];
      const data = [
        ...items.filter(({ severity }) => severity === "problem"),
        ...items.filter(({ severity }) => severity === "hint"),
      ];
      return { data };
    }),
  );
}
