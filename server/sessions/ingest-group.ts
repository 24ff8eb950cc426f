import { setImmediate as nextTurn } from "node:timers/promises";
import type { BatchAnswer } from "../../contract/storefront.ts";
import { storedContact } from "../platform/contacts.ts";
import type { StoreTransaction } from "../platform/database/sql.ts";
import type { StoreTransactions } from "../platform/database/store-homes.ts";
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
import { readFirstSessions } from "./returning.ts";
import type { ContactCapture } from "./state.ts";
import { openedLive, TrafficValues } from "./traffic-values.ts";
import { prepareWriting } from "./write-loaded.ts";

/** A contact that a session holds, normalised [people.contacts]. */
export interface SessionContact {
  componentKey: string;
  pageKey: string;
  kind: "email" | "phone";
  /** canonical form */
  value: string;
  /** its notation, if that is another */
  shown: string | null;
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
  /** whether any order names these sessions or visitors, or is attributed to one of the sessions; sent at once */
  ordersName: (
    tx: StoreTransaction,
    named: { sessionIds: readonly string[]; visitorIds: readonly string[] },
  ) => Promise<boolean>;
  /** whether these sessions, with their visitors and people, or other people concern any order; sent at once */
  mayConcernOrders: (
    tx: StoreTransaction,
    mayChange: { sessionIds: readonly string[]; profileIds: readonly string[] },
  ) => Promise<boolean>;
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

interface WrittenGroup {
  changes: readonly StoreChange[];
  /** the sessions that concern people */
  concerned: readonly LoadedSession[];
  /** whether the sessions concern any order; null: not known, as some have a person, or a visitor that no request named */
  concernsOrders: boolean | null;
  now: number;
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
  readonly #database: StoreTransactions;
  readonly #deps: IngestDeps;
  readonly #devices = new Devices();
  readonly #traffic = new TrafficValues();

  constructor(database: StoreTransactions, deps: IngestDeps) {
    this.#database = database;
    this.#deps = deps;
  }

  async ingest(storeId: string, batches: readonly IncomingBatch[], deadline: Deadline): Promise<BatchAnswer[]> {
    try {
      return await this.#database.inStore(storeId, (tx) => this.#ingest(tx, batches), deadline);
    } catch (error) {
      if (error instanceof NoNewEvents) return error.answers;
      throw error;
    }
  }

  async #ingest(tx: StoreTransaction, batches: readonly IncomingBatch[]): Promise<BatchAnswer[]> {
    const { storeId } = tx;
    const { random, versions } = this.#deps;
    const readers = { versions, devices: this.#devices };
    const sessionIds = [...new Set(batches.map(({ sessionId }) => sessionId))];
    const visitorIds = [...new Set(batches.map(({ visitorId }) => visitorId))];
    // Only under this lock is it known which sessions are new; sequence numbers left over stay unused. The statements
    // are sent together and run one after the other, so all but the first read under the lock.
    const [{ revision, sessionsNumbered }, sessions, first, named] = await together([
      raiseRevision(tx, storeId, { sessions: sessionIds.length }),
      loadSessions(tx, versions, batches),
      readFirstSessions(tx, openedSessions(batches)),
      this.#deps.orders.ordersName(tx, { sessionIds, visitorIds }),
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
    const prepared = await prepareWriting(tx, touched, { now, random, numbered: sessionsNumbered, first });
    const written = together(prepared.statements.map((statement) => tx.all(statement)));
    // Imports read what the statement wrote, and send one statement after the other. The other statements are sent
    // without waiting.
    if (batches.some(({ history }) => history)) await written;
    await recordImports(tx, applied);
    const concerned = touched.filter(concernsPeople);
    const isAnswered = touched.every(({ row }) => row === null || visitorIds.includes(row.visitor_id));
    const concernsOrders = concerned.length === 0 && isAnswered ? named : null;
    // most groups concern nobody and no order: COMMIT is sent right behind what they write
    const isFollowed = concernsOrders !== false;
    if (!isFollowed) tx.beforeCommit(written);
    const [, followed] = await together([
      isFollowed ? written : Promise.resolve(),
      this.#follow(tx, { changes: prepared.changes, concerned, concernsOrders, now }),
    ]);
    tx.beforeCommit(appendEvents(tx, storeId, now, [...prepared.events, ...followed.events]));
    tx.beforeCommit(recordChanges(tx, storeId, revision, uuidAt(now, random), new Date(now), followed.changes));
    return answers;
  }

  /** What the written sessions mean for people and orders. */
  async #follow(
    tx: StoreTransaction,
    { changes: written, concerned, concernsOrders, now }: WrittenGroup,
  ): Promise<PeopleChanges> {
    const { orders } = this.#deps;
    const { mayChange, answered } = await this.#resolvePeople(tx, concerned, now);
    const ids = (kind: StoreChange["kind"]) =>
      [...written, ...mayChange].flatMap((change) => (change.kind === kind ? change.id : []));
    const mayConcern =
      concernsOrders === null
        ? orders.mayConcernOrders(tx, { sessionIds: ids("session"), profileIds: ids("profile") })
        : Promise.resolve(concernsOrders);
    const [resolved, concerns] = await together([answered, mayConcern]);
    const changes = [...written, ...resolved.changes];
    if (concerns) changes.push(...(await orders.rematchOrders(tx, changes)));
    return { changes, events: resolved.events };
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

/** The sessions in which a quiz is opened, by visitor: most of those that are new. */
function openedSessions(batches: readonly IncomingBatch[]): Map<string, Set<string>> {
  const opened = new Map<string, Set<string>>();
  for (const { visitorId, sessionId, events } of batches) {
    if (!events.some((one) => one.refused === null && one.event.type === "quiz_opened")) continue;
    opened.set(visitorId, (opened.get(visitorId) ?? new Set()).add(sessionId));
  }
  return opened;
}

/** Only sessions that hold or held a contact concern people; most batches have none. */
const concernsPeople = (session: LoadedSession): boolean =>
  !attributesOf(session).preview && (session.contactTyped || Boolean(session.row?.profile_id));

/** Every typed contact of a session that can be an identity, in `seq` order, including replaced ones. */
function typedContacts(contacts: readonly ContactCapture[]): SessionContact[] {
  return contacts.flatMap((contact) => {
    const { component_key: componentKey, page_key: pageKey, kind, identity, consent, seq, event_id, current } = contact;
    if (identity === null) return [];
    const { value, shown } = storedContact(kind, identity);
    const at = new Date(contact.time);
    return [{ componentKey, pageKey, kind, value, shown, consent, at, seq, eventId: event_id, current }];
  });
}
