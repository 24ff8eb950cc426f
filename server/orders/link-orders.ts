import { anyOf, ownStore, raw, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { countOrders } from "../profiles/figures.ts";
import type { StoreChange } from "../stores/public.ts";
import { type Attribution, attribute, type Bucket, bucketOf, type OrderKey, type Tier } from "./attribute.ts";
import { readCandidates } from "./candidates.ts";
import { isErased } from "./insert-orders.ts";
import { globalId, platformId } from "./payload.ts";

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
  keys: OrderKey[];
}

async function readOrders(tx: StoreTransaction, ids: ReadonlySet<string>): Promise<LinkedOrder[]> {
  const rows = await tx.all(sql<OrderRow>`
  SELECT o.id, (extract(epoch FROM o.created_at) * 1000)::bigint AS created_at, o.session_id, o.matched_tier,
    o.profile_id, o.profile_tier, ${isErased} AS erased,
    coalesce((SELECT jsonb_agg(jsonb_build_object('tier', k.tier, 'value', k.value) ORDER BY k.rank)
      FROM order_keys k WHERE k.store_id = ${ownStore} AND k.order_id = o.id), '[]') AS keys
  FROM orders o WHERE o.store_id = ${ownStore} AND o.id = ${anyOf([...ids])}`);
  return rows.map(({ id, created_at: createdAt, keys, erased, ...row }) => {
    const { matched_tier: tier, session_id: sessionId, profile_id: profileId, profile_tier: profileTier } = row;
    return { id, createdAt, keys, erased, link: { tier, sessionId, profileId, profileTier } };
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

interface LineRow {
  order_id: string;
  line_no: number;
  product_id: string | null;
  from_quiz: boolean;
  bucket: Bucket | null;
}

const readLines = (tx: StoreTransaction, orderIds: ReadonlySet<string>): Promise<LineRow[]> =>
  tx.all(sql<LineRow>`
  SELECT order_id, line_no, product_id, from_quiz, bucket FROM order_lines
  WHERE store_id = ${ownStore} AND order_id = ${anyOf([...orderIds])}`);

/** Assigns the lines of orders to buckets; returns the orders whose lines changed. */
async function sortLines(
  tx: StoreTransaction,
  lines: readonly LineRow[],
  sessionOf: ReadonlyMap<string, string | null>,
): Promise<string[]> {
  const sessionIds = [...new Set(sessionOf.values())].filter((id) => id !== null);
  const sessions = await readProducts(tx, sessionIds);
  const moved = lines.flatMap(({ order_id, line_no, product_id: productId, from_quiz: fromQuiz, bucket: before }) => {
    const session = sessions.get(sessionOf.get(order_id) ?? "");
    const bucket = session ? bucketOf({ productId, fromQuiz }, session) : null;
    return bucket === before ? [] : [{ order_id, line_no, bucket }];
  });
  if (moved.length > 0) {
    await tx.all(sql`
    UPDATE order_lines l SET bucket = m.bucket
    FROM jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) AS m (order_id uuid, line_no integer, bucket text)
    WHERE l.store_id = ${ownStore} AND l.order_id = m.order_id AND l.line_no = m.line_no`);
  }
  return moved.map((line) => line.order_id);
}

type SessionProducts = Parameters<typeof bucketOf>[1];

/** The products that sessions showed and added to the cart, by session. */
async function readProducts(
  tx: StoreTransaction,
  sessionIds: readonly string[],
): Promise<Map<string, SessionProducts>> {
  if (sessionIds.length === 0) return new Map();
  const idsIn = (part: "shown" | "added") =>
    raw(`coalesce(jsonb_path_query_array(s.state, '$.${part}[*].product_id'), '[]') AS ${part}`);
  const rows = await tx.all(sql<{ id: string; shown: string[]; added: string[] }>`
  SELECT s.id, ${idsIn("shown")}, ${idsIn("added")} FROM sessions s
  WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(sessionIds)}`);
  const products = (ids: readonly string[]) => new Set(ids.map(asGlobalId));
  return new Map(rows.map(({ id, shown, added }) => [id, { shown: products(shown), added: products(added) }]));
}

/** Quizzes refer to products by global id; a shop's own code may send the bare number. */
const asGlobalId = (id: string): string => {
  const bare = platformId(id);
  return bare === null ? id : globalId("Product", bare);
};
