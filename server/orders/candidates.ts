import { anyOf, ownStore, raw, type StoreTransaction, sql } from "../platform/database/sql.ts";
import {
  type CandidateSession,
  type Candidates,
  type ContactTier,
  type OrderToAttribute,
  startsFor,
} from "./attribute.ts";

/**
 * Reads what orders can be attributed to: the sessions that they name; for each visitor and person that they lead to,
 * the newest session in the order's window, since older ones could not win; and the holders of their emails and phones.
 */
export async function readCandidates(
  tx: StoreTransaction,
  orders: readonly OrderToAttribute[],
): Promise<(order: OrderToAttribute) => Candidates> {
  const holders = await readHolders(tx, orders);
  const holder = (tier: ContactTier, value: string) => holders.get(`${tier}:${value}`);
  const named: string[] = [];
  const visitors: Lookup[] = [];
  const people: Lookup[] = [];
  for (const { createdAt, keys } of orders) {
    for (const { tier, value } of keys) {
      const profileId = tier === "email" || tier === "phone" ? holder(tier, value) : undefined;
      if (tier === "line_item" || tier === "cart") named.push(value);
      else if (tier === "visitor") visitors.push({ id: value, createdAt });
      else if (profileId !== undefined) people.push({ id: profileId, createdAt });
    }
  }
  const byId = Map.groupBy(await readNamed(tx, named), (session) => session.id);
  const byVisitor = Map.groupBy(await readNewest(tx, "visitor_id", visitors), ({ visitorId }) => visitorId);
  const byPerson = Map.groupBy(await readNewest(tx, "profile_id", people), ({ profileId }) => profileId);
  return ({ keys }) => ({
    holder,
    sessions: keys.flatMap(({ tier, value }) => {
      if (tier === "email" || tier === "phone") return byPerson.get(holder(tier, value) ?? null) ?? [];
      return (tier === "visitor" ? byVisitor.get(value) : byId.get(value)) ?? [];
    }),
  });
}

/** The holders of the orders' contacts, by `tier:value`. */
async function readHolders(tx: StoreTransaction, orders: readonly OrderToAttribute[]): Promise<Map<string, string>> {
  const keys = orders.flatMap((order) => order.keys.filter(({ tier }) => tier === "email" || tier === "phone"));
  if (keys.length === 0) return new Map();
  const [kinds, values] = [keys.map(({ tier }) => tier), keys.map(({ value }) => value)];
  const rows = await tx.all(sql<{ kind: string; value: string; profile_id: string }>`
  SELECT DISTINCT i.kind, i.value, i.profile_id
  FROM unnest(${kinds}::text[], ${values}::text[]) AS k (kind, value)
  JOIN identities i ON i.store_id = ${ownStore} AND i.kind = k.kind AND i.value = k.value`);
  return new Map(rows.map(({ kind, value, profile_id }) => [`${kind}:${value}`, profile_id]));
}

interface SessionRow {
  id: string;
  visitor_id: string;
  profile_id: string | null;
  /** ms */
  started_at: number;
}

const sessionColumns = sql`s.id, s.visitor_id, s.profile_id,
  (extract(epoch FROM s.started_at) * 1000)::bigint AS started_at`;

const candidate = (row: SessionRow): CandidateSession => {
  const { id, visitor_id: visitorId, profile_id: profileId, started_at: startedAt } = row;
  return { id, visitorId, profileId, startedAt, preview: false };
};

async function readNamed(tx: StoreTransaction, ids: readonly string[]): Promise<CandidateSession[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all(sql<SessionRow>`
  SELECT ${sessionColumns} FROM sessions s WHERE s.store_id = ${ownStore} AND s.id = ${anyOf([...new Set(ids)])}
    AND s.started_at IS NOT NULL AND NOT s.preview`);
  return rows.map(candidate);
}

interface Lookup {
  id: string;
  createdAt: number;
}

async function readNewest(
  tx: StoreTransaction,
  column: "visitor_id" | "profile_id",
  lookups: readonly Lookup[],
): Promise<CandidateSession[]> {
  if (lookups.length === 0) return [];
  const ids = lookups.map(({ id }) => id);
  const windows = lookups.map(({ createdAt }) => startsFor(createdAt));
  const first = windows.map((window) => new Date(window.first));
  const last = windows.map((window) => new Date(window.last));
  const rows = await tx.all(sql<SessionRow>`
  SELECT DISTINCT n.*
  FROM unnest(${ids}::uuid[], ${first}::timestamptz[], ${last}::timestamptz[]) AS w (id, first, last)
  CROSS JOIN LATERAL (
    SELECT ${sessionColumns} FROM sessions s
    WHERE s.store_id = ${ownStore} AND s.${raw(column)} = w.id AND s.started_at BETWEEN w.first AND w.last AND NOT s.preview
    ORDER BY s.started_at DESC, s.id DESC LIMIT 1
  ) n`);
  return rows.map(candidate);
}
