import type { Transaction } from "../platform/database/database.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { StoreChange } from "../stores/public.ts";
import { countOrderFigures } from "./order-figures.ts";
import type { CapturedContact } from "./people.ts";
import { settle } from "./settle.ts";

/** What other slices may ask of people. */

export interface SessionContacts {
  /** UUID */
  sessionId: string;
  /**
   * Every contact that was typed in the session and can be an identity, in `seq` order, overtaken ones too; empty for a
   * session that never had any. Preview sessions are never given: they make no person (storefront 2).
   */
  contacts: readonly CapturedContact[];
}

export interface PeopleChanges {
  /** people made, changed and gone; sessions that changed hands (the caller's own ones among them) */
  changes: StoreChange[];
  /** profile.created, profile.updated, identity.captured, ready for the outbox */
  events: OutboxEvent[];
}

export interface SettleContext {
  /** ms, the calendar's */
  now: number;
  random: RandomBytes;
  /** UUIDs of sessions whose facts changed in this transaction: the figures of their people are counted again */
  touchedSessionIds: readonly string[];
}

/**
 * Brings people in line with the contacts that sessions hold now (storefront 3). Writes `captures`, `identities`,
 * `profiles`, and of `sessions` the columns `profile_id` and `emitted` (appended to); sessions whose `emits` is false
 * cause no events.
 *
 * The caller's transaction has raised the store's revision, which keeps every other change of its people away, and has
 * written the sessions' rows; it records the changes and appends the events that are answered. After this it writes
 * neither of the two columns from what it read before.
 */
export async function settlePeople(
  tx: Transaction,
  storeId: string,
  sessions: readonly SessionContacts[],
  context: SettleContext,
): Promise<PeopleChanges> {
  const contacts = new Map(sessions.map((session) => [session.sessionId, session.contacts]));
  return settle(tx, storeId, contacts, context);
}

/**
 * Counts again what people bought (E), from the orders that are theirs now. The caller's transaction has raised or holds
 * the store's revision; answers the people for whom a figure changed.
 */
export async function countOrders(tx: Transaction, storeId: string, profileIds: readonly string[]): Promise<string[]> {
  return countOrderFigures(tx, storeId, profileIds);
}
