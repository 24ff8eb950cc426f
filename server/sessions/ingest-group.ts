import { setImmediate as nextTurn } from "node:timers/promises";
import type { BatchAnswer } from "../../contract/storefront.ts";
import type { Database } from "../platform/database/database.ts";
import type { StoreTransaction } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import type { Deadline } from "../platform/deadline.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { raiseRevision, recordChanges, type StoreChange } from "../stores/public.ts";
import { Devices } from "./device.ts";
import { recordImports } from "./imports.ts";
import type { IncomingBatch } from "./incoming.ts";
import {
  answerOf,
  applyBatch,
  attributesOf,
  contactStatesOf,
  type LoadedSession,
  loadSessions,
  reduceLoaded,
} from "./loaded-session.ts";
import { Yielder } from "./reduce.ts";
import type { ContactCapture } from "./state.ts";
import { openedLive, TrafficValues } from "./traffic-values.ts";
import { prepareWriting } from "./write-loaded.ts";

/** A contact that a session holds, normalised [people.contacts]. */
export interface SessionContact {
  componentKey: string;
  pageKey: string;
  kind: "email" | "phone";
  value: string;
  consent: boolean | null;
  at: Date;
  seq: number;
  eventId: string;
  current: boolean;
}

interface PeopleChanges {
  changes: StoreChange[];
  events: OutboxEvent[];
}

/**
 * Updates people to match the contacts of sessions: `resolvePeople` of the profiles, on which this slice does not
 * depend. Resolves once its last statement is sent.
 */
export type ResolvePeople = (
  tx: StoreTransaction,
  sessions: { sessionId: string; states: SessionContact[][] }[],
  context: { now: number; random: RandomBytes; touchedSessionIds: readonly string[] },
) => Promise<{ mayChange: StoreChange[]; answered: Promise<PeopleChanges> }>;

/** The part of the orders slice, on which this slice does not depend, that changes of sessions and people need. */
export interface ConcernedOrders {
  /** whether any order may be concerned; sends its statement at once */
  mayConcernOrders: (tx: StoreTransaction, changes: readonly StoreChange[]) => Promise<boolean>;
  /** attributes orders to the current sessions and people, and returns the resulting changes */
  rematchOrders: (tx: StoreTransaction, changes: readonly StoreChange[]) => Promise<StoreChange[]>;
}

export interface IngestDeps {
  versions: VersionCache;
  /** the calendar, ms */
  now: () => number;
  random: RandomBytes;
  resolvePeople: ResolvePeople;
  orders: ConcernedOrders;
}

/** Thrown to roll back a transaction without changes: a revision without a change would mislead every copy. */
class NoNewEvents extends Error {
  readonly answers: BatchAnswer[];
  constructor(answers: BatchAnswer[]) {
    super("nothing new");
    this.answers = answers;
  }
}

/** Ingests several requests of one store in one transaction; returns one answer per request, in order. */
export class GroupIngest {
  readonly #database: Database;
  readonly #deps: IngestDeps;
  readonly #devices = new Devices();
  readonly #traffic = new TrafficValues();

  constructor(database: Database, deps: IngestDeps) {
    this.#database = database;
    this.#deps = deps;
  }

  async ingest(storeId: string, batches: readonly IncomingBatch[], deadline: Deadline): Promise<BatchAnswer[]> {
    try {
      return await this.#database.transaction((tx) => this.#ingest(tx.forStore(storeId), batches), deadline);
    } catch (error) {
      if (error instanceof NoNewEvents) return error.answers;
      throw error;
    }
  }

  async #ingest(tx: StoreTransaction, batches: readonly IncomingBatch[]): Promise<BatchAnswer[]> {
    const { storeId } = tx;
    const { random, versions } = this.#deps;
    const readers = { versions, devices: this.#devices };
    const distinct = new Set(batches.map((batch) => batch.sessionId)).size;
    // Only under this lock is it known which sessions are new; sequence numbers left over stay unused. Both statements
    // are sent together and run one after the other, so the sessions are read under the lock.
    const [{ revision, sessionsNumbered }, sessions] = await Promise.all([
      raiseRevision(tx, storeId, { sessions: distinct }),
      loadSessions(tx, versions, batches),
    ]);
    const now = this.#deps.now();
    const applied = [];
    for (const batch of batches) {
      const session = sessions.get(batch.sessionId);
      if (session === undefined) throw new Error("a request's session was not read");
      applied.push({ batch, session, verdicts: await applyBatch(tx, session, batch, readers) });
    }
    const touched = [...sessions.values()].filter((session) => session.fresh.length > 0);
    const yielder = new Yielder();
    for (const session of touched) await reduceLoaded(tx, session, { now, yielder });
    const answers = applied.map(({ batch, session, verdicts }) => answerOf(batch, verdicts, session));
    if (touched.length === 0) throw new NoNewEvents(answers);
    await this.#traffic.bound(tx, openedLive(touched, batches));
    const prepared = await prepareWriting(tx, touched, { now, random, numbered: sessionsNumbered });
    const written = tx.all(prepared.statement);
    const concerned = touched.filter(concernsPeople);
    // Imports read what the statement wrote, and send one statement after the other. The other statements are sent
    // without waiting.
    if (batches.some(({ history }) => history)) await written;
    await recordImports(tx, applied);
    const [, { people, changes }] = await together([written, this.#follow(tx, prepared.changes, concerned, now)]);
    tx.beforeCommit(appendEvents(tx, storeId, now, [...prepared.events, ...people.events]));
    tx.beforeCommit(recordChanges(tx, storeId, revision, uuidAt(now, random), new Date(now), changes));
    return answers;
  }

  /** What the written sessions mean for people and orders. */
  async #follow(
    tx: StoreTransaction,
    written: readonly StoreChange[],
    concerned: readonly LoadedSession[],
    now: number,
  ) {
    const { orders } = this.#deps;
    const { mayChange, answered } = await this.#resolvePeople(tx, concerned, now);
    const [people, concernsOrders] = await together([
      answered,
      orders.mayConcernOrders(tx, [...written, ...mayChange]),
    ]);
    const changes = [...written, ...people.changes];
    if (concernsOrders) changes.push(...(await orders.rematchOrders(tx, changes)));
    return { people, changes };
  }

  async #resolvePeople(tx: StoreTransaction, concerned: readonly LoadedSession[], now: number) {
    if (concerned.length === 0) return { mayChange: [], answered: Promise.resolve({ changes: [], events: [] }) };
    const sessions: Parameters<ResolvePeople>[1] = [];
    for (const session of concerned.filter(({ contactTyped }) => contactTyped)) {
      const states = contactStatesOf(session).map(typedContacts);
      sessions.push({ sessionId: session.id, states });
      if (states.length > 1) await nextTurn();
    }
    const touchedSessionIds = concerned.map((session) => session.id);
    const context = { now, random: this.#deps.random, touchedSessionIds };
    return this.#deps.resolvePeople(tx, sessions, context);
  }
}

/** Only sessions that hold or held a contact concern people; most batches have none. */
const concernsPeople = (session: LoadedSession): boolean =>
  !attributesOf(session).preview && (session.contactTyped || Boolean(session.row?.profile_id));

/** Every typed contact of a session that can be an identity, in `seq` order, including replaced ones. */
function typedContacts(contacts: readonly ContactCapture[]): SessionContact[] {
  return contacts.flatMap((contact) => {
    const { component_key: componentKey, page_key: pageKey, kind, identity, consent, seq, event_id, current } = contact;
    if (identity === null) return [];
    const at = new Date(contact.time);
    return [{ componentKey, pageKey, kind, value: identity, consent, at, seq, eventId: event_id, current }];
  });
}
