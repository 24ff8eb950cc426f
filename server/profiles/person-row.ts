import { isoTime } from "../platform/clock.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { minorUnits, moneyFromMinor } from "../platform/money.ts";

/** The fields that lists and a person's page have in common. */

export interface PersonRow {
  id: string;
  first_seen_at: Date | null;
  last_seen_at: Date;
  last_order_at: Date | null;
  completed_count: number;
  orders_count: number;
  sessions_count: number;
  visits_count: number;
  spent: string;
  /** the store's current currency, in which `spent` was counted; the caller's cached store may be older */
  currency: string;
}

/** Columns of `profiles p`. */
export const personColumns = sql`p.id, p.first_seen_at, p.last_seen_at, p.last_order_at, p.completed_count,
  p.orders_count, p.sessions_count, p.visits_count, p.spent,
  (SELECT currency FROM stores WHERE id = ${ownStore}) AS currency`;

export const personFields = (row: PersonRow) => ({
  id: formatId("prof", row.id),
  first_seen_at: row.first_seen_at && isoTime(row.first_seen_at),
  last_seen_at: isoTime(row.last_seen_at),
  last_order_at: row.last_order_at && isoTime(row.last_order_at),
  completed_count: row.completed_count,
  orders_count: row.orders_count,
  sessions_count: row.sessions_count,
  removed: false as const,
  returning: row.visits_count >= 2,
  spent: moneyFromMinor(minorUnits(row.spent, row.currency), row.currency),
});
