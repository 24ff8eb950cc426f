import { isoTime } from "../platform/clock.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { formatId, type RandomBytes, uuidAt } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import { holdRevision, recordRevision, type StoreChange } from "../stores/public.ts";
import { countFigures, countIdentities } from "./figures.ts";
import { type Contact, contactKey } from "./people.ts";
import { readSnapshots } from "./people-events.ts";
import { insertPeople, type Merge, moveFollowers } from "./write-people.ts";

/** Lists and undoes merges of people, for operators [people.unmerge]. */

const refusal = (profileId: string, why: string) =>
  new OperatorError(`${formatId("prof", profileId)} cannot be parted: ${why}`);

/** One or more phones that moved from one person to another. */
interface MergeRow {
  id: string;
  from_id: string;
  into_id: string;
  confirmed_by: Merge["confirmedBy"];
  merged_at: Date;
  /** null if the person who lost the phones still has other contacts */
  gone_created_at: Date | null;
  undone_at: Date | null;
}

const columns = "m.id, m.from_id, m.into_id, m.confirmed_by, m.merged_at, m.gone_created_at, m.undone_at";

/** The output of the command line: newest first, at most 1,000. */
export async function listMerges(db: StoreRunner) {
  const rows = await db.all(sql<MergeRow>`
  SELECT ${raw(columns)} FROM person_merges m WHERE m.store_id = ${ownStore}
  ORDER BY m.merged_at DESC, m.id DESC LIMIT 1000`);
  return rows.map((row) => ({
    from: formatId("prof", row.from_id),
    into: formatId("prof", row.into_id),
    confirmed_by: row.confirmed_by,
    merged_at: isoTime(row.merged_at),
    gone: row.gone_created_at !== null,
    undone_at: row.undone_at && isoTime(row.undone_at),
  }));
}

export interface UnmergeDeps {
  /** calendar time in ms */
  now: number;
  random: RandomBytes;
  /**
   * attributes orders anew and returns the resulting changes; `rematchOrders` of the orders slice, which this slice
   * must not import
   */
  rematchOrders: (tx: StoreTransaction, changes: readonly StoreChange[]) => Promise<StoreChange[]>;
}

export interface Unmerged {
  /** public ids */
  from: string;
  into: string;
  /** whether the person had been gone and exists again */
  restored: boolean;
  identities: number;
  sessions: number;
  orders: number;
}

/**
 * Undoes a merge. Contacts that came with the merge return to the person they came from, who exists again under the old
 * id, along with the sessions that hold no contact of the other person, and the orders. Throws an OperatorError,
 * without personal data in its message, if that is impossible.
 *
 * @param profileId the person who is gone, or the one who took them over
 */
export async function unmerge(
  tx: StoreTransaction,
  profileId: string,
  { now, random, rematchOrders }: UnmergeDeps,
): Promise<Unmerged> {
  await holdRevision(tx, tx.storeId);
  const merge = await mergeOf(tx, profileId);
  await refuseErased(tx, profileId, merge);
  const { from_id: from, into_id: into, gone_created_at: createdAt } = merge;
  if (createdAt !== null) {
    await together(
      insertPeople([{ id: from, at: createdAt }], { now, held: "held" }).map((statement) => tx.all(statement)),
    );
  }
  const returned = await giveBack(tx, merge);
  if (returned.length === 0) {
    throw refusal(profileId, "that person has none of this merge's contacts any more: they were moved or removed");
  }
  const sessions = await moveFollowers(tx, returned.map(contactKey));
  const people = [...new Set([from, into, ...sessions.flatMap((row) => [row.left_id, row.profile_id])])];
  await countFigures(tx, people, "held");
  await countIdentities(tx, people);
  await tx.all(
    sql`UPDATE person_merges SET undone_at = ${new Date(now)} WHERE store_id = ${ownStore} AND id = ${merge.id}`,
  );
  const changes: StoreChange[] = [
    ...people.map((id) => ({ kind: "profile" as const, id })),
    ...sessions.map(({ id }) => ({ kind: "session" as const, id })),
  ];
  const rematched = await rematchOrders(tx, changes);
  await recordRevision(tx, [...changes, ...rematched], { now, random });
  await appendEvents(tx, tx.storeId, now, await peopleChangedEvents(tx, [from, into], { now, random }));
  const orders = rematched.filter(({ kind }) => kind === "order").length;
  return {
    from: formatId("prof", from),
    into: formatId("prof", into),
    restored: createdAt !== null,
    identities: returned.length,
    sessions: sessions.length,
    orders,
  };
}

async function mergeOf(tx: StoreTransaction, profileId: string): Promise<MergeRow> {
  const rows = await tx.all(sql<MergeRow>`
  SELECT ${raw(columns)} FROM person_merges m
  WHERE m.store_id = ${ownStore} AND (m.from_id = ${profileId} OR m.into_id = ${profileId})
  ORDER BY m.merged_at DESC, m.id DESC`);
  if (rows.length === 0) throw refusal(profileId, "this person was never merged");
  const open = rows.filter((row) => row.undone_at === null);
  const left = open.filter((row) => row.from_id === profileId);
  const [merge, ...others] = left.length > 0 ? left : open;
  if (merge === undefined) throw refusal(profileId, "this was undone before");
  if (left.length === 0 && others.length > 0) {
    throw refusal(
      profileId,
      "several people were merged into this person: name one of them, as person merges lists them",
    );
  }
  return merge;
}

async function refuseErased(tx: StoreTransaction, profileId: string, merge: MergeRow): Promise<void> {
  const rows = await tx.all(sql<{ id: string; removed_at: Date | null }>`
  SELECT id, removed_at FROM profiles
  WHERE store_id = ${ownStore} AND id = ANY (${[merge.from_id, merge.into_id]}::uuid[])`);
  if (rows.some((row) => row.removed_at !== null)) throw refusal(profileId, "one of the two was erased since");
  if (!rows.some((row) => row.id === merge.into_id)) {
    throw refusal(profileId, "the person they were merged into is gone: undo what was done after this merge first");
  }
  const from = rows.some((row) => row.id === merge.from_id);
  if (from !== (merge.gone_created_at === null)) {
    throw refusal(
      profileId,
      from ? "that person exists already" : "that person was removed since, with all other contacts",
    );
  }
}

async function giveBack(tx: StoreTransaction, { id, from_id, into_id }: MergeRow): Promise<Contact[]> {
  return tx.all(sql<Contact>`
  UPDATE identities SET profile_id = ${from_id}, merge_id = NULL
  WHERE store_id = ${ownStore} AND profile_id = ${into_id} AND merge_id = ${id} RETURNING kind, value`);
}

/** profile.updated for people whose contacts an operator has changed. */
export async function peopleChangedEvents(
  tx: StoreTransaction,
  people: readonly string[],
  { now, random }: Pick<UnmergeDeps, "now" | "random">,
): Promise<OutboxEvent[]> {
  const snapshots = await readSnapshots(tx, people);
  return [...snapshots].map(([profileId, { data }]) => ({
    id: uuidAt(now, random),
    topic: "profile.updated",
    created: new Date(now),
    due: new Date(now),
    quizId: null,
    sessionId: null,
    profileId,
    data: { ...data, identities_from_session: [] },
  }));
}
