import { randomUUID } from "node:crypto";
import type { QuizDocument } from "../engine/document.ts";
import type { ApiFoundations } from "../server/main/compose.ts";
import { ownStore, type Runner, sql } from "../server/platform/database/sql.ts";
import { type PeopleChanges, resolvePeople } from "../server/profiles/resolve-people.ts";
import { raiseRevision } from "../server/stores/public.ts";
import type { TestApp } from "./app.ts";
import { surveyDocument } from "./small-quizzes.ts";

/** Inserts the rows that people consist of straight into the database. */

export interface InsertedQuiz {
  /** UUIDs */
  id: string;
  versions: string[];
}

/** A quiz with its versions, oldest first. */
export async function insertQuiz(
  db: Runner,
  storeId: string,
  documents: readonly QuizDocument[],
  options: { name?: string; live?: number; deletedAt?: Date } = {},
): Promise<InsertedQuiz> {
  const id = randomUUID();
  const versions = documents.map(() => randomUUID());
  const at = new Date("2026-01-01T00:00:00.000Z");
  const live = options.live === undefined ? null : versions[options.live];
  await db
    .forStore(storeId)
    .all(sql`INSERT INTO quizzes (store_id, id, name, draft, draft_page_count, published_version_id, created_at, updated_at,
            deleted_at, versions_numbered)
          VALUES (${ownStore}, ${id}, ${options.name ?? "Finder"}, '{}', 0, ${live}, ${at}, ${at}, ${options.deletedAt ?? null}, ${versions.length})`);
  for (const [index, document] of documents.entries()) {
    await db
      .forStore(storeId)
      .all(sql`INSERT INTO quiz_versions (store_id, id, quiz_id, number, document, page_count, created_at)
            VALUES (${ownStore}, ${versions[index]}, ${id}, ${index + 1}, ${JSON.stringify(document)}, ${document.pages.length}, ${at})`);
  }
  return { id, versions };
}

export interface SessionToInsert {
  quizId: string;
  versionId: string;
  /** ms */
  openedAt: number;
  startedAt?: number | null;
  completedAt?: number | null;
  endedAt?: number | null;
  lastEventAt?: number;
  status?: "completed" | "in_progress" | "left";
  state?: object;
  emits?: boolean;
  preview?: boolean;
  isReturning?: boolean;
  country?: string | null;
  /** UUID */
  visitorId?: string;
}

let numbered = 0;

/** Inserts a session's row; returns its UUID. */
export async function insertSession(db: Runner, storeId: string, session: SessionToInsert): Promise<string> {
  const id = randomUUID();
  numbered += 1;
  const date = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at));
  const { openedAt, startedAt = openedAt, lastEventAt = openedAt, preview = false, emits = true } = session;
  const { visitorId = randomUUID(), quizId, versionId, country = null, isReturning = false } = session;
  const { completedAt, endedAt, status = "in_progress" } = session;
  await db
    .forStore(storeId)
    .all(sql`INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, channel, device_class, device, country,
            preview, emits, is_returning, first_received_at, opened_at, started_at, completed_at, ended_at, last_event_at,
            status, state, facts)
          VALUES (${ownStore}, ${id}, ${numbered}, ${visitorId}, ${quizId}, ${versionId}, 'online_store', 'mobile', '{}',
            ${country}, ${preview}, ${emits}, ${isReturning}, ${date(openedAt)}, ${date(openedAt)}, ${date(startedAt)},
            ${date(completedAt)}, ${date(endedAt)}, ${date(lastEventAt)}, ${status},
            ${JSON.stringify(session.state ?? {})}, '{}')`);
  return id;
}

/** An order with the contacts and visitor that it can be matched by. */
export async function insertOrder(
  db: Runner,
  storeId: string,
  keys: readonly { tier: "visitor" | "email" | "phone"; value: string }[],
): Promise<void> {
  const id = randomUUID();
  const at = new Date("2026-03-01T00:00:00.000Z");
  await db
    .forStore(storeId)
    .all(sql`INSERT INTO orders (store_id, id, gid, created_at, updated_at, stage, currency, total)
          VALUES (${ownStore}, ${id}, ${`gid://shopify/Order/${id}`}, ${at}, ${at}, 0, 'EUR', 10)`);
  for (const [rank, { tier, value }] of keys.entries()) {
    await db
      .forStore(storeId)
      .all(
        sql`INSERT INTO order_keys (store_id, order_id, tier, value, rank) VALUES (${ownStore}, ${id}, ${tier}, ${value}, ${rank})`,
      );
  }
}

/** Default opening time of sessions in a store for people; in ms. */
export const peopleOpened = Date.parse("2026-03-10T10:00:00.000Z");

export interface StoreOfPeople {
  /** UUID */
  store: string;
  quiz: { quizId: string; versionId: string };
  /** inserts a session of the quiz; returns its UUID */
  session(more?: Partial<SessionToInsert>): Promise<string>;
  /** resolves people from sessions' contacts in one transaction, like the event intake */
  resolve(sessions: Record<string, readonly ShortContact[]>): Promise<PeopleChanges>;
}

/** A store with a quiz, for which tests insert sessions and contacts themselves. */
export async function openStoreOfPeople({ store: newStore, database, foundations }: TestApp): Promise<StoreOfPeople> {
  const { uuid: store } = await newStore();
  const made = await insertQuiz(database.reader(), store, [surveyDocument]);
  const quiz = { quizId: made.id, versionId: made.versions[0] ?? "" };
  return {
    store,
    quiz,
    session: (more = {}) => insertSession(database.reader(), store, { ...quiz, openedAt: peopleOpened, ...more }),
    resolve: (sessions) => resolveContacts(foundations, store, sessions),
  };
}

/** A session's contact, in the short form for tests. */
export interface ShortContact {
  /** defaults to `email` or `phone` */
  field?: string;
  email?: string;
  phone?: string;
  consent?: boolean | null;
  at?: number;
  seq?: number;
  current?: boolean;
}

/** Resolves people from sessions' contacts in one transaction, like the event intake. */
export async function resolveContacts(
  { database, random, calendar }: ApiFoundations,
  storeId: string,
  sessions: Record<string, readonly ShortContact[]>,
  touchedSessionIds: readonly string[] = Object.keys(sessions),
): Promise<PeopleChanges> {
  const given = Object.entries(sessions).map(([sessionId, contacts]) => ({
    sessionId,
    states: [contacts.map((contact, index) => capturedContact(contact, index, calendar.now()))],
  }));
  return database.transaction(async (tx) => {
    await raiseRevision(tx, storeId);
    const deps = { now: calendar.now(), random, touchedSessionIds };
    return (await resolvePeople(tx.forStore(storeId), given, deps)).answered;
  });
}

function capturedContact(contact: ShortContact, index: number, now: number) {
  const kind = contact.email === undefined ? ("phone" as const) : ("email" as const);
  const seq = contact.seq ?? index;
  return {
    shown: null,
    componentKey: contact.field ?? kind,
    pageKey: "contact",
    kind,
    value: contact.email ?? contact.phone ?? "",
    consent: contact.consent ?? null,
    at: new Date(contact.at ?? now),
    seq,
    eventId: `evt_${seq}`,
    current: contact.current ?? true,
  };
}

/**
 * Records all sessions and people of a store as changed; every transaction of the product does so for those it changes.
 */
export async function recordEverything(db: Runner, storeId: string): Promise<void> {
  const own = db.forStore(storeId);
  await own.all(sql`
    INSERT INTO changes (store_id, revision, token, kind, id, at)
    SELECT ${ownStore}::uuid, r.revision + 1, ${randomUUID()}::uuid, c.kind, c.id, ${new Date(0)}::timestamptz
    FROM store_revisions r CROSS JOIN (
      SELECT 'session' AS kind, id FROM sessions WHERE store_id = ${ownStore}
      UNION ALL SELECT 'profile', id FROM profiles WHERE store_id = ${ownStore}
      UNION ALL SELECT 'quiz', id FROM quizzes WHERE store_id = ${ownStore}) c
    WHERE r.store_id = ${ownStore}`);
  await own.all(sql`UPDATE store_revisions SET revision = revision + 1 WHERE store_id = ${ownStore}`);
}
