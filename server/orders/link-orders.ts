import { anyOf, ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { countOrders } from "../profiles/figures.ts";
import type { StoreChange } from "../stores/public.ts";
import { type Attribution, attribute, type OrderKey, type Tier } from "./attribute.ts";
import { readCandidates } from "./candidates.ts";
import { isErased } from "./insert-orders.ts";
import { readLines, sortLines } from "./sort-lines.ts";

/**
 * Attributes orders again, to the current sessions and people, and recounts what their people bought. Returns the
 * changes, which include all orders of `inserted`, since their content is new.
 */
export async function linkOrders(
  tx: StoreTransaction,
  ids: ReadonlySet<string>,
  inserted: ReadonlySet<string> = new Set(),
): Promise<StoreChange[]> {
  if (ids.size === 0) return [];
  const [orders, lines] = await together([readOrders(tx, ids), readLines(tx, ids)]);
  const candidatesOf = await readCandidates(tx, orders);
  const relinked: { order: LinkedOrder; link: Attribution }[] = [];
  const sessionOf = new Map<string, string | null>();
  for (const order of orders) {
    const link = order.erased ? order.link : attribute(order, candidatesOf(order));
    sessionOf.set(order.id, link.sessionId);
    if (!isSame(order.link, link)) relinked.push({ order, link });
  }
  await writeLinks(tx, relinked);
  const sorted = await sortLines(tx, lines, sessionOf);
  const people = [
    ...relinked.flatMap(({ order, link }) => [order.link.profileId, link.profileId]),
    ...orders.flatMap((order) => (inserted.has(order.id) ? order.link.profileId : [])),
  ].filter((id) => id !== null);
  const counted = await countOrders(tx, [...new Set(people)]);
  const changed = new Set([...inserted, ...relinked.map(({ order }) => order.id), ...sorted]);
  return [
    ...[...changed].map((id) => ({ kind: "order" as const, id })),
    ...counted.map((id) => ({ kind: "profile" as const, id })),
  ];
}

interface LinkedOrder {
  id: string;
  /** ms */
  createdAt: number;
  keys: OrderKey[];
  renewal: boolean;
  link: Attribution;
  /** it keeps its attribution permanently, since the data that led to it is gone [erasure.orders] */
  erased: boolean;
}

interface OrderRow {
  id: string;
  created_at: number;
  session_id: string | null;
  matched_tier: Tier | null;
  profile_id: string | null;
  profile_tier: Tier | null;
  erased: boolean;
  renewal: boolean;
  keys: OrderKey[];
}

async function readOrders(tx: StoreTransaction, ids: ReadonlySet<string>): Promise<LinkedOrder[]> {
  const rows = await tx.all(sql<OrderRow>`
  SELECT o.id, (extract(epoch FROM o.created_at) * 1000)::bigint AS created_at, o.session_id, o.matched_tier,
    o.profile_id, o.profile_tier, o.renewal, ${isErased} AS erased,
    coalesce((SELECT jsonb_agg(jsonb_build_object('tier', k.tier, 'value', k.value) ORDER BY k.rank)
      FROM order_keys k WHERE k.store_id = ${ownStore} AND k.order_id = o.id), '[]') AS keys
  FROM orders o WHERE o.store_id = ${ownStore} AND o.id = ${anyOf([...ids])}`);
  return rows.map(({ id, created_at: createdAt, keys, erased, renewal, ...row }) => {
    const { matched_tier: tier, session_id: sessionId, profile_id: profileId, profile_tier: profileTier } = row;
    return { id, createdAt, keys, erased, renewal, link: { tier, sessionId, profileId, profileTier } };
  });
}

const isSame = (a: Attribution, b: Attribution): boolean =>
  a.tier === b.tier && a.sessionId === b.sessionId && a.profileId === b.profileId && a.profileTier === b.profileTier;

async function writeLinks(
  tx: StoreTransaction,
  relinked: readonly { order: LinkedOrder; link: Attribution }[],
): Promise<void> {
  if (relinked.length === 0) return;
  const rows = relinked.map(({ order: { id }, link }) => ({
    id,
    session_id: link.sessionId,
    matched_tier: link.tier,
    profile_id: link.profileId,
    profile_tier: link.profileTier,
  }));
  await tx.all(sql`
  UPDATE orders o SET session_id = l.session_id, matched_tier = l.matched_tier, profile_id = l.profile_id,
    profile_tier = l.profile_tier
  FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS l (id uuid, session_id uuid, matched_tier text,
    profile_id uuid, profile_tier text)
  WHERE o.store_id = ${ownStore} AND o.id = l.id`);
}
