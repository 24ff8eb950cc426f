import type { FieldError } from "../../contract/errors.ts";
import type { ProfileSummary } from "../../contract/profiles.ts";
import type { ProfileSearch } from "../../contract/search.ts";
import type { CopyReader } from "../columnar-copy/public.ts";
import type { Runner, Transaction } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { VersionCache } from "../quizzes/public.ts";
import type { StoreChange } from "../stores/public.ts";
import { readListed } from "./list.ts";
import { countOrderFigures } from "./order-figures.ts";
import type { CapturedContact } from "./people.ts";
import { allMatches, type Matches } from "./search/all-matches.ts";
import { checkSearch } from "./search/check.ts";
import { confirm, settle } from "./settle.ts";
import type { OrderedContacts } from "./settle-read.ts";

/** What other slices may ask of people. */

export interface SessionContacts {
  /** UUID */
  sessionId: string;
  /**
   * Every contact that was typed in the session and can be an identity, in `seq` order, overtaken ones too; empty for a
   * session that never had any. Preview sessions are never given: they make no person.
   */
  contacts: readonly CapturedContact[];
}

export interface PeopleChanges {
  /** people made, changed and gone; sessions that changed hands (the caller's own ones among them) */
  changes: StoreChange[];
  /** profile.created, profile.updated, identity.captured, ready for the outbox */
  events: OutboxEvent[];
}

export interface SettleDeps {
  /** ms, the calendar's */
  now: number;
  random: RandomBytes;
  /** UUIDs of sessions whose facts changed in this transaction: the figures of their people are counted again */
  touchedSessionIds: readonly string[];
}

/**
 * Brings people in line with the contacts that sessions hold now. Writes `captures`, `identities`,
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
  context: SettleDeps,
): Promise<PeopleChanges> {
  const contacts = new Map(sessions.map((session) => [session.sessionId, session.contacts]));
  return settle(tx, storeId, contacts, context);
}

/**
 * Makes one person of two where an order carries an email of the one and a phone of the other, which somebody typed
 * together, before or after ([people.order-confirms]; `settlePeople` knows of orders that came before): the phone goes
 * to the email's person, who takes over whoever is left without a contact. Of an order's contacts only the first of
 * each kind count, which are the buyer's. The caller's transaction holds the store's revision, and the orders are
 * written; it records the changes, and appends the events where orders may cause any.
 */
export const confirmByOrders = (
  tx: Transaction,
  storeId: string,
  orders: readonly OrderedContacts[],
  context: Omit<SettleDeps, "touchedSessionIds">,
): Promise<PeopleChanges> => confirm(tx, storeId, orders, context);

/**
 * Counts again what people bought [orders.figures], from the orders that are theirs now. The caller's transaction has
 * raised or holds the store's revision; answers the people for whom a figure changed.
 */
export async function countOrders(tx: Transaction, storeId: string, profileIds: readonly string[]): Promise<string[]> {
  return countOrderFigures(tx, storeId, profileIds);
}

/** What is wrong with a search that is found under `place`, such as `body.search`; empty: it can be put. */
export async function mistakesInSearch(
  db: Runner,
  versions: VersionCache,
  storeId: string,
  body: ProfileSearch,
  place: string,
): Promise<FieldError[]> {
  const checked = await checkSearch(db, versions, storeId, body, place);
  return "errors" in checked ? checked.errors : [];
}

/** Everybody whom a search finds. */
export type FoundPeople = Matches;

/**
 * Finds everybody who matches, in a copy that is at least as new as this call; throws as `FactsReader.read`, and a 422
 * for a search that cannot be put (see `mistakesInSearch`).
 */
export const findPeople = (
  deps: { facts: CopyReader; db: Runner; versions: VersionCache; deadline: Deadline },
  storeId: string,
  body: ProfileSearch,
): Promise<FoundPeople> => allMatches(deps, storeId, body);

/** People as lists show them [people.list], in the order of the UUIDs given; who was removed is left out. */
export const listedPeople = (db: Runner, storeId: string, ids: readonly string[]): Promise<ProfileSummary[]> =>
  readListed(
    db,
    storeId,
    ids.map((id) => ({ id, at: 0 })),
  );
