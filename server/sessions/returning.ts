import { ownStore, plainArray, type StoreRunner, sql } from "../platform/database/sql.ts";

/**
 * Whether a session is its visitor's first in the store or a later one [figures.new-returning]: by opening time, on a
 * tie by id, without previews, and independent of the order in which sessions arrive. At most one session of a visitor
 * is not returning, the first, so it is enough to look at the visitor's earliest sessions.
 */
export interface Opening {
  id: string;
  visitorId: string;
  /** ms */
  openedAt: number;
  preview: boolean;
  isReturning: boolean;
  /** whether it is new, or its opening time differs from the database's */
  moved: boolean;
}

interface FirstRow {
  visitor_id: string;
  id: string;
  opened_at: number;
  is_returning: boolean;
}

const earlier = (a: { openedAt: number; id: string }, b: { openedAt: number; id: string }): boolean =>
  a.openedAt < b.openedAt || (a.openedAt === b.openedAt && a.id < b.id);

/** Visitors' earliest sessions as the database has them, previews left out. */
export interface FirstSessions {
  visitorIds: ReadonlySet<string>;
  /** of each visitor at most so many */
  limit: number;
  rows: readonly FirstRow[];
}

/**
 * Reads one session of each visitor more than are given, so that the first other one is among them. The statement is sent
 * at once.
 *
 * @param opened sessions that may be new, by visitor
 */
export async function readFirstSessions(
  tx: StoreRunner,
  opened: ReadonlyMap<string, { size: number }>,
): Promise<FirstSessions> {
  const visitorIds = new Set(opened.keys());
  const limit = 1 + Math.max(0, ...Array.from(opened.values(), ({ size }) => size));
  if (visitorIds.size === 0) return { visitorIds, limit, rows: [] };
  // Read through a subquery: PostgreSQL would know the length of a plain array, whatever it is cast from, and plan anew
  // each time to suit it, which takes ten times as long as reading.
  const rows = await tx.all(sql<FirstRow>`
    SELECT v.visitor_id, f.id, (extract(epoch FROM f.opened_at) * 1000)::bigint AS opened_at, f.is_returning
    FROM unnest((SELECT ${plainArray([...visitorIds])}::uuid[])) AS v (visitor_id)
    CROSS JOIN LATERAL (
      SELECT s.id, s.opened_at, s.is_returning FROM sessions AS s
      WHERE s.store_id = ${ownStore} AND s.visitor_id = v.visitor_id AND NOT s.preview
      ORDER BY s.opened_at, s.id LIMIT ${limit}
    ) AS f`);
  return { visitorIds, limit, rows };
}

/**
 * Sets `isReturning` of the given sessions, which must be all of a transaction's, and corrects it in other rows;
 * returns those rows' ids. Call it before the given sessions are written.
 *
 * @param ahead what was read in this transaction for some of the visitors; the others' sessions are read here
 */
export async function updateReturning(tx: StoreRunner, openings: Opening[], ahead: FirstSessions): Promise<string[]> {
  const byVisitor = Map.groupBy(
    openings.filter((opening) => !opening.preview),
    (opening) => opening.visitorId,
  );
  for (const [visitorId, own] of byVisitor) if (!own.some(({ moved }) => moved)) byVisitor.delete(visitorId);
  const unread = new Map(
    [...byVisitor].flatMap(([visitorId, own]) =>
      ahead.visitorIds.has(visitorId) && own.length < ahead.limit ? [] : [[visitorId, { size: own.length }]],
    ),
  );
  const { rows: more } = await readFirstSessions(tx, unread);
  const rows = [...ahead.rows.filter((row) => !unread.has(row.visitor_id)), ...more];
  const inHand = new Set(openings.map(({ id }) => id));
  const others = Map.groupBy(
    rows.filter((row) => !inHand.has(row.id)),
    (row) => row.visitor_id,
  );
  const flipped: string[] = [];
  for (const [visitorId, own] of byVisitor) {
    const [row] = others.get(visitorId) ?? [];
    const other = row && { id: row.id, openedAt: row.opened_at };
    const first = own.reduce((best, opening) => (earlier(opening, best) ? opening : best));
    const otherIsFirst = other !== undefined && earlier(other, first);
    for (const opening of own) opening.isReturning = otherIsFirst || opening !== first;
    if (row && row.is_returning === otherIsFirst) flipped.push(row.id);
  }
  if (flipped.length > 0)
    await tx.all(sql`
      UPDATE sessions SET is_returning = NOT is_returning WHERE store_id = ${ownStore} AND id = ANY(${flipped}::uuid[])`);
  return flipped;
}
