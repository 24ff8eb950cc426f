import { anyOf, ownStore, raw, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { type Bucket, bucketOf, type SessionProducts, shownBundles } from "./attribute.ts";
import { globalId, platformId } from "./payload.ts";

/** Assigns the lines of orders to buckets, and components to their bundles [orders.buckets, orders.bundles]. */

interface LineRow {
  order_id: string;
  line_no: number;
  product_id: string | null;
  from_quiz: boolean;
  bucket: Bucket | null;
  /** of a component: its bundle's group, and its product if the message names it */
  bundle_key: string | null;
  bundle_product_id: string | null;
  /** the bundle's product, if the line counts as that */
  counted_as: string | null;
}

export const readLines = (tx: StoreTransaction, orderIds: ReadonlySet<string>): Promise<LineRow[]> =>
  tx.all(sql<LineRow>`
  SELECT order_id, line_no, product_id, from_quiz, bucket, bundle_key, bundle_product_id, counted_as FROM order_lines
  WHERE store_id = ${ownStore} AND order_id = ${anyOf([...orderIds])}`);

/** Assigns the lines of orders to buckets; returns the orders whose lines changed. */
export async function sortLines(
  tx: StoreTransaction,
  lines: readonly LineRow[],
  sessionOf: ReadonlyMap<string, string | null>,
): Promise<string[]> {
  const sessionIds = [...new Set(sessionOf.values())].filter((id) => id !== null);
  const sessions = await readProducts(tx, sessionIds);
  const moved = [...Map.groupBy(lines, (line) => line.order_id)].flatMap(([order_id, own]) => {
    const session = sessions.get(sessionOf.get(order_id) ?? "");
    const bundles = session ? bundlesIn(own, session) : new Map<string, string>();
    return own.flatMap(({ line_no, product_id, from_quiz: fromQuiz, bundle_key, ...before }) => {
      const counted_as = bundles.get(bundle_key ?? "") ?? null;
      const bucket = session ? bucketOf({ productId: counted_as ?? product_id, fromQuiz }, session) : null;
      const isSame = bucket === before.bucket && counted_as === before.counted_as;
      return isSame ? [] : [{ order_id, line_no, bucket, counted_as }];
    });
  });
  if (moved.length > 0) {
    await tx.all(sql`
    UPDATE order_lines l SET bucket = m.bucket, counted_as = m.counted_as
    FROM jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) AS m (order_id uuid, line_no integer, bucket text,
      counted_as text)
    WHERE l.store_id = ${ownStore} AND l.order_id = m.order_id AND l.line_no = m.line_no`);
  }
  return moved.map((line) => line.order_id);
}

function bundlesIn(lines: readonly LineRow[], session: SessionProducts): Map<string, string> {
  const bundles = new Map(
    lines.flatMap(({ bundle_key: key, bundle_product_id: productId }) =>
      key === null ? [] : [[key, { key, productId }] as const],
    ),
  );
  return shownBundles([...bundles.values()], session, new Set(lines.flatMap(({ product_id }) => product_id ?? [])));
}

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
