import { canonicalContact } from "../platform/contacts.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { appendEvents } from "../platform/outbox.ts";
import { holdRevision, recordRevision, type StoreChange } from "../stores/public.ts";
import { adoptForms } from "./adopt-forms.ts";
import { countFigures, countIdentities } from "./figures.ts";
import { type Contact, contactKey, mostContactsOfKind } from "./people.ts";
import { peopleChangedEvents, type UnmergeDeps } from "./unmerge.ts";
import { mergePeople, recordMerges } from "./write-people.ts";

/**
 * People who exist twice because earlier releases took two forms of one contact for two [people.duplicates]: found and
 * merged by operators.
 */

interface HeldForm extends Contact {
  profile_id: string;
}

/** Two holders of one contact; the older person comes first. */
export interface Duplicate {
  contact: Contact;
  into: string;
  from: string;
}

const rowsAtOnce = 2_000;

/** Whether a stored value can have another canonical form: a superset of what engine/one-number.ts knows. */
const mayDiffer = sql`(i.value LIKE '%xn--%' OR i.value LIKE '+%')`;

/** Contacts that are stored in another form than the canonical one, page by page. */
async function* otherForms(db: StoreRunner): AsyncGenerator<HeldForm[]> {
  for (let after: Contact = { kind: "email", value: "" }; ; ) {
    const rows: HeldForm[] = await db.all(sql<HeldForm>`
    SELECT i.kind, i.value, i.profile_id FROM identities i
    WHERE i.store_id = ${ownStore} AND (i.kind, i.value) > (${after.kind}, ${after.value}) AND ${mayDiffer}
    ORDER BY i.kind, i.value LIMIT ${rowsAtOnce}`);
    yield rows.filter(({ kind, value }) => canonicalContact(kind, value) !== value);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last;
  }
}

/** The output of the command line, without contacts; at most 1,000. */
export async function listDuplicates(db: StoreRunner) {
  const found = await findDuplicates(db);
  return found.slice(0, 1_000).map(({ contact, into, from }) => ({
    kind: contact.kind,
    into: formatId("prof", into),
    from: formatId("prof", from),
  }));
}

async function findDuplicates(db: StoreRunner): Promise<Duplicate[]> {
  const found: Duplicate[] = [];
  for await (const forms of otherForms(db)) {
    for (const form of forms) {
      const duplicate = await duplicateOf(db, form);
      if (duplicate !== null) found.push(duplicate);
    }
  }
  return found;
}

/** Null: one person holds the contact, in whatever forms, or an operator has parted the two. */
async function duplicateOf(db: StoreRunner, { kind, value, profile_id }: HeldForm): Promise<Duplicate | null> {
  const canonical = canonicalContact(kind, value);
  const [older, newer] = await db.all(sql<{ id: string }>`
  SELECT p.id FROM profiles p WHERE p.store_id = ${ownStore} AND p.removed_at IS NULL AND (p.id = ${profile_id}
    OR p.id = (SELECT i.profile_id FROM identities i
      WHERE i.store_id = ${ownStore} AND i.kind = ${kind} AND i.value = ${canonical}))
  ORDER BY p.created_at, p.id`);
  if (older === undefined || newer === undefined) return null;
  const parted = await db.first(sql`
  SELECT 1 FROM person_merges m WHERE m.store_id = ${ownStore} AND m.undone_at IS NOT NULL
    AND (m.from_id, m.into_id) IN ((${older.id}::uuid, ${newer.id}::uuid), (${newer.id}::uuid, ${older.id}::uuid))`);
  return parted ? null : { contact: { kind, value }, into: older.id, from: newer.id };
}

export interface MergedDuplicates {
  /** public ids */
  merged: { into: string; from: string }[];
  /** pairs that stay apart, since one person would hold too many contacts */
  left: { into: string; from: string }[];
  /** contacts that got their canonical form */
  renamed: number;
}

/**
 * Merges all duplicates of a store, each in a transaction of its own, and gives contacts that one person holds their
 * canonical form.
 *
 * @param inTransaction runs a function in a transaction on the store
 */
export async function mergeDuplicates(
  db: StoreRunner,
  inTransaction: <Result>(work: (tx: StoreTransaction) => Promise<Result>) => Promise<Result>,
  deps: UnmergeDeps,
): Promise<MergedDuplicates> {
  const done: MergedDuplicates = { merged: [], left: [], renamed: 0 };
  for await (const forms of otherForms(db)) {
    for (const form of forms) {
      const [result, pair] = await inTransaction((tx) => unite(tx, form, deps));
      if (result === "renamed") done.renamed += 1;
      else if (pair !== null)
        done[result].push({ into: formatId("prof", pair.into), from: formatId("prof", pair.from) });
    }
  }
  return done;
}

async function unite(
  tx: StoreTransaction,
  form: HeldForm,
  deps: UnmergeDeps,
): Promise<["merged" | "left" | "renamed", Duplicate | null]> {
  await holdRevision(tx, tx.storeId);
  const duplicate = await duplicateOf(tx, form);
  if (duplicate === null) {
    const changed = [{ kind: "profile" as const, id: form.profile_id }];
    await adoptForms(tx, [contactKey({ ...form, value: canonicalContact(form.kind, form.value) })]);
    await recordRevision(tx, [...changed, ...(await deps.rematchOrders(tx, changed))], deps);
    return ["renamed", null];
  }
  const { into, from } = duplicate;
  const held = await tx.all(sql<{ kind: string; held: number }>`
  SELECT kind, count(*)::integer AS held FROM identities
  WHERE store_id = ${ownStore} AND profile_id IN (${into}::uuid, ${from}::uuid) GROUP BY kind`);
  if (held.some((row) => row.held > mostContactsOfKind)) return ["left", duplicate];
  await merge(tx, duplicate, deps);
  return ["merged", duplicate];
}

/** Everything of one person goes to the other; recorded so that `unmerge` can undo it. */
async function merge(tx: StoreTransaction, { into, from }: Duplicate, deps: UnmergeDeps): Promise<void> {
  const { now, random, rematchOrders } = deps;
  const id = uuidAt(now, random);
  await tx.all(sql`
  UPDATE identities SET profile_id = ${into}, merge_id = ${id} WHERE store_id = ${ownStore} AND profile_id = ${from}`);
  const { followed, gone } = await mergePeople(tx, [{ from, into }]);
  await recordMerges(tx, [{ id, from, into, confirmedBy: "operator" }], { gone, now });
  await countFigures(tx, [into], "held");
  await countIdentities(tx, [into]);
  const changes: StoreChange[] = [
    ...[into, from].map((person) => ({ kind: "profile" as const, id: person })),
    ...followed.map((session) => ({ kind: "session" as const, id: session })),
  ];
  await recordRevision(tx, [...changes, ...(await rematchOrders(tx, changes))], { now, random });
  await appendEvents(tx, tx.storeId, now, await peopleChangedEvents(tx, [into], { now, random }));
}
