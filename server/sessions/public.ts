import type { BatchAnswer } from "../../contract/storefront.ts";
import type { AnswerValue } from "../../engine/document.ts";
import type { Database } from "../platform/database/database.ts";
import type { Runner, Transaction } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import type { CompiledVersion, VersionCache } from "../quizzes/public.ts";
import { raiseRevision, recordChanges, type StoreChange } from "../stores/public.ts";
import { catalogProducts } from "./admit.ts";
import { contactsOf, type SessionContact } from "./captured.ts";
import { type ContactKind, normaliseContact } from "./contacts.ts";
import { exitReasons, moveCauses } from "./copy-codes.ts";
import { Devices } from "./device.ts";
import { importedOpening, recordImports } from "./imports.ts";
import type { IncomingBatch, SessionOrigin } from "./incoming.ts";
import { type WholeSession, wholeSessions } from "./payloads/whole.ts";
import { Turns } from "./reduce.ts";
import {
  type Catalog,
  type CatalogProduct,
  type Finished,
  readableValue,
  readCatalog,
  resultPage,
} from "./result-page.ts";
import { storeVisits } from "./store.ts";
import { answerOf, isPreview, openVisits, reduceVisit, takeBatch, type Visit } from "./take.ts";
import { openedLive, TrafficValues } from "./traffic-values.ts";

/** What other slices may ask of sessions: to take in what shoppers did. */

/** In whose numbers fact texts name them; what fact texts hold: fact-codes.ts. */
export const copyMoveCauses: readonly string[] = moveCauses;
export const copyExitReasons: readonly string[] = exitReasons;

/**
 * Brings people in line with the contacts of sessions: `settlePeople` of the profiles, which this slice does not know.
 */
export type SettlePeople = (
  tx: Transaction,
  storeId: string,
  sessions: { sessionId: string; contacts: SessionContact[] }[],
  context: { now: number; random: RandomBytes; touchedSessionIds: readonly string[] },
) => Promise<{ changes: StoreChange[]; events: OutboxEvent[] }>;

/**
 * Attributes orders to sessions and people as they are now, and answers what that changes: `rematchOrders` of the
 * orders, which this slice does not know.
 */
export type RematchOrders = (
  tx: Transaction,
  storeId: string,
  changes: readonly StoreChange[],
) => Promise<StoreChange[]>;

/** A request's events with their session, its frame and the shape of each event checked. */
export type ShopperBatch = IncomingBatch;
/** Where a session came from, as far as the server saw it. */
export type ShopperOrigin = SessionOrigin;

/**
 * Which of the products that a request's events report as shown are the store's, though the version does not name them.
 */
export const shownInCatalog = (
  db: Runner,
  storeId: string,
  { quiz }: CompiledVersion,
  events: IncomingBatch["events"],
): Promise<ReadonlySet<string>> => {
  const read = events.flatMap((incoming) => (incoming.refused === null ? [incoming.event] : []));
  return catalogProducts(db, storeId, quiz, read);
};

/**
 * The identity behind a contact as somebody wrote it, or null [people.contacts].
 *
 * @param country ISO 3166-1 alpha-2, for phones without `+`; null when unknown
 */
export const contactIdentity = (kind: ContactKind, text: string, country: string | null): string | null =>
  normaliseContact(kind, text, country);

/** What the catalog says of products that were shown. */
export type ShownCatalog = Catalog;

export const shownCatalog = (
  db: Runner,
  storeId: string,
  ids: readonly string[],
): Promise<Map<string, CatalogProduct>> => readCatalog(db, storeId, ids);

/** The result page that a finished session came to, with what was shown on it; null for a quiz without one. */
export const sessionResultPage = (
  state: Finished,
  around: ShownCatalog & { version: CompiledVersion | null; title: string | null },
): ReturnType<typeof resultPage> => resultPage(state, around);

/** Any answer but a choice, for a person to read. */
export const answerInWords = (answer: AnswerValue): string[] => readableValue(answer);

/** When the oldest session of a quiz that was imported opened, in ms; null: none was [figures.live-since]. */
export const oldestImport = (db: Runner, storeId: string, quizId: string): Promise<number | null> =>
  importedOpening(db, storeId, quizId);

export type ToldSession = WholeSession;

/**
 * Sessions as webhooks tell them, contacts included, by UUID: finished ones in the form of quiz.finished, others in
 * that of quiz.abandoned. Of one state of the database.
 */
export const toldSessions = (
  db: Runner,
  versions: VersionCache,
  storeId: string,
): ((ids: readonly string[]) => Promise<Map<string, ToldSession>>) => wholeSessions(db, versions, storeId);

export interface IntakeDeps {
  versions: VersionCache;
  /** the calendar, ms */
  now: () => number;
  random: RandomBytes;
  settlePeople: SettlePeople;
  rematchOrders: RematchOrders;
}

/** Thrown to undo a transaction that has nothing to say: a revision without a change would lead every copy astray. */
class NothingNew extends Error {
  readonly answers: BatchAnswer[];
  constructor(answers: BatchAnswer[]) {
    super("nothing new");
    this.answers = answers;
  }
}

/** Takes in requests of one store, all in one transaction; one answer a request, in their order. */
export class SessionIntake {
  readonly #database: Database;
  readonly #deps: IntakeDeps;
  readonly #devices = new Devices();
  readonly #traffic = new TrafficValues();

  constructor(database: Database, deps: IntakeDeps) {
    this.#database = database;
    this.#deps = deps;
  }

  async take(storeId: string, batches: readonly ShopperBatch[], deadline: Deadline): Promise<BatchAnswer[]> {
    try {
      return await this.#database.transaction((tx) => this.#take(tx, storeId, batches), deadline);
    } catch (error) {
      if (error instanceof NothingNew) return error.answers;
      throw error;
    }
  }

  async #take(tx: Transaction, storeId: string, batches: readonly ShopperBatch[]): Promise<BatchAnswer[]> {
    const { random, versions } = this.#deps;
    const readers = { versions, devices: this.#devices };
    const distinct = new Set(batches.map((batch) => batch.sessionId)).size;
    // Which sessions are new is only known under the lock that this takes; numbers that find no session are left out.
    // Sent together and run one after the other: the sessions are read under the lock.
    const [{ revision, sessionsNumbered }, visits] = await Promise.all([
      raiseRevision(tx, storeId, { sessions: distinct }),
      openVisits(tx, storeId, batches, readers),
    ]);
    const now = this.#deps.now();
    const taken: { batch: IncomingBatch; visit: Visit; verdicts: Awaited<ReturnType<typeof takeBatch>> }[] = [];
    for (const batch of batches) {
      const visit = visits.get(batch.sessionId);
      if (visit === undefined) throw new Error("a request's session was not read");
      taken.push({ batch, visit, verdicts: await takeBatch(tx, storeId, visit, batch, readers) });
    }
    const touched = [...visits.values()].filter((visit) => visit.fresh.length > 0);
    const turns = new Turns();
    for (const visit of touched) await reduceVisit(tx, storeId, visit, { now, turns });
    const answers = taken.map(({ batch, visit, verdicts }) => answerOf(batch, verdicts, visit));
    if (touched.length === 0) throw new NothingNew(answers);
    await this.#traffic.bound(tx, storeId, openedLive(touched, batches));
    const stored = await storeVisits(tx, storeId, touched, { now, random, numbered: sessionsNumbered });
    await recordImports(tx, storeId, taken);
    const people = await this.#settle(tx, storeId, touched, now);
    const changes = [...stored.changes, ...people.changes];
    const rematched = await this.#deps.rematchOrders(tx, storeId, changes);
    // after it: what is sent when a neighbour has failed would run outside of the transaction
    await appendEvents(tx, storeId, now, [...stored.events, ...people.events]);
    changes.push(...rematched);
    await recordChanges(tx, storeId, revision, uuidAt(now, random), new Date(now), changes);
    return answers;
  }

  /** Only sessions that hold or held a contact have to do with people; most batches have none. */
  async #settle(tx: Transaction, storeId: string, touched: readonly Visit[], now: number) {
    const own = touched.filter((visit) => !isPreview(visit));
    const typed = own.filter((visit) => visit.contactTyped);
    const concerned = own.filter((visit) => visit.contactTyped || visit.row?.profile_id);
    if (concerned.length === 0) return { changes: [], events: [] };
    const sessions = typed.map((visit) => ({ sessionId: visit.id, contacts: contactsOf(visit) }));
    const touchedSessionIds = concerned.map((visit) => visit.id);
    return this.#deps.settlePeople(tx, storeId, sessions, { now, random: this.#deps.random, touchedSessionIds });
  }
}
