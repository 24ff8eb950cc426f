import { isoTime } from "../platform/clock.ts";
import { anyOf, ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { ReadPeople, SessionRow } from "./known-people.ts";
import { type Contact, type ContactKind, contactKey, type People, type Resolution } from "./people.ts";

/** The events caused by changes to people [people.events]. Sessions whose `emits` is false cause none. */

export interface CapturedEvent {
  sessionId: string;
  /**
   * appended to the session's `emitted`; names the capturing event rather than the contact, so that it is not personal
   * data
   */
  mark: string;
  event: OutboxEvent;
}

const markOf = (eventId: string): string => `identity.captured:${eventId}`;

/**
 * identity.captured: once per distinct value of a session, even if the value was replaced and typed again
 * [people.events, webhooks.identity-captured].
 */
export function capturedEvents(
  resolutions: readonly Resolution[],
  rows: ReadonlyMap<string, SessionRow>,
  { now, newId }: { now: number; newId: () => string },
): CapturedEvent[] {
  return resolutions.flatMap(({ sessionId, added, passing }, place) => {
    const row = sessionId === null ? undefined : rows.get(sessionId);
    if (sessionId === null || !row?.emits) return [];
    const before = resolutions.slice(0, place).filter((other) => other.sessionId === sessionId);
    const announced = new Set(before.flatMap((other) => other.added.map(({ contact }) => contactKey(contact))));
    const isNew = (eventIds: readonly string[]) => !eventIds.some((id) => row.emitted.includes(markOf(id)));
    const fresh = added.filter(({ contact, eventIds }) => {
      const key = contactKey(contact);
      // no event for a value that was replaced at once: a typing error may be somebody else's address
      return !passing.has(key) && !announced.has(key) && isNew(eventIds);
    });
    return fresh.map(({ contact }) => {
      const { eventId, seq, kind, value, shown, consent, pageKey, componentKey } = contact;
      const identity = { kind, value: shown ?? value, consent, page_key: pageKey, component_key: componentKey };
      const event = {
        id: newId(),
        topic: "identity.captured",
        created: contact.at,
        due: new Date(now),
        quizId: row.quiz_id,
        sessionId,
        profileId: null,
        data: { event_id: eventId, seq, identity },
      };
      return { sessionId, mark: markOf(eventId), event };
    });
  });
}

/**
 * profile.created and profile.updated: one for each change to a person's set of contacts. Contacts are taken one by
 * one, so that it makes no difference whether they came in one request. Each event shows the person as the transaction
 * leaves them, with the contacts held at that point. Contacts that were added and removed within the transaction, and
 * people who are gone at its end, cause no event.
 */
export async function personEvents(
  tx: StoreTransaction,
  resolutions: readonly Resolution[],
  people: People,
  { rows, known }: Pick<ReadPeople, "rows" | "known">,
  { now, newId }: { now: number; newId: () => string },
): Promise<OutboxEvent[]> {
  const caused = resolutions.flatMap(({ sessionId, passing, steps }) => {
    const row = sessionId === null ? null : rows.get(sessionId);
    return row === undefined ? [] : steps.map((step) => ({ sessionId, row, passing, step }));
  });
  const lasting = caused.filter(({ step }) => !people.merged.has(step.profileId));
  if (lasting.every(({ row }) => row?.emits === false)) return [];
  const read = await readSnapshots(tx, [...new Set(lasting.map(({ step }) => step.profileId))]);
  const announced = new Map<string, ReadonlySet<string>>();
  for (const { profileId, key } of known.identities)
    announced.set(profileId, new Set(announced.get(profileId)).add(key));
  return lasting.flatMap(({ sessionId, row, passing, step: { profileId, kinds, at, ...step } }) => {
    const { data: snapshot, held = [] } = read.get(profileId) ?? {};
    const left = new Set(held);
    const keys = new Set([...step.keys].filter((key) => left.has(key) || !passing.has(key)));
    const identities = snapshot?.identities.filter((_, place) => keys.has(held[place] ?? "")) ?? [];
    const last = announced.get(profileId);
    // skip: all these contacts are already gone again (the next event shows the rest), or only contacts that came and
    // went have changed
    if (identities.length === 0 || (last && isSame(keys, last))) return [];
    announced.set(profileId, keys);
    if (row?.emits === false) return [];
    const event = {
      id: newId(),
      topic: last === undefined ? "profile.created" : "profile.updated",
      created: at ?? new Date(now),
      due: new Date(now),
      quizId: row?.quiz_id ?? null,
      sessionId,
      profileId,
      data: { ...snapshot, identities, identities_from_session: kinds },
    };
    return [event];
  });
}

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((key) => b.has(key));

/** What an event about a person stores about them. */
export interface PersonSnapshot extends Snapshot {
  identities_from_session: ContactKind[];
}

interface Snapshot {
  created_at: string;
  first_seen_at: string | null;
  last_seen_at: string;
  identities: (Contact & { consent: boolean | null; first_seen_at: string | null; last_seen_at: string | null })[];
}

interface ReadSnapshot {
  data: Snapshot;
  /** the keys of `data.identities`, which have them as they are shown */
  held: string[];
}

interface SnapshotRow extends Contact {
  id: string;
  shown: string | null;
  created_at: Date;
  person_first: Date | null;
  person_last: Date;
  consent: boolean | null;
  first_seen_at: Date | null;
  last_seen_at: Date | null;
}

export async function readSnapshots(tx: StoreTransaction, ids: readonly string[]): Promise<Map<string, ReadSnapshot>> {
  const rows = await tx.all(sql<SnapshotRow>`
  SELECT p.id, p.created_at, p.first_seen_at AS person_first, p.last_seen_at AS person_last,
    i.kind, i.value, i.shown, i.consent, i.first_seen_at, i.last_seen_at
  FROM profiles p JOIN identities i ON i.store_id = ${ownStore} AND i.profile_id = p.id
  WHERE p.store_id = ${ownStore} AND p.id = ${anyOf(ids)} ORDER BY i.kind, i.first_seen_at, i.value`);
  const time = (at: Date | null) => at && isoTime(at);
  const snapshots = new Map<string, ReadSnapshot>();
  for (const { id, created_at, person_first, person_last, kind, value, shown, consent, ...seen } of rows) {
    const times = { created_at: isoTime(created_at), first_seen_at: time(person_first) };
    const fresh = { data: { ...times, last_seen_at: isoTime(person_last), identities: [] }, held: [] };
    const snapshot: ReadSnapshot = snapshots.get(id) ?? fresh;
    const [first_seen_at, last_seen_at] = [time(seen.first_seen_at), time(seen.last_seen_at)];
    snapshot.data.identities.push({ kind, value: shown ?? value, consent, first_seen_at, last_seen_at });
    snapshot.held.push(contactKey({ kind, value }));
    snapshots.set(id, snapshot);
  }
  return snapshots;
}
