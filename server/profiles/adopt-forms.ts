import { contactForms, storedContact } from "../platform/contacts.ts";
import { anyOf, ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { type Contact, type ContactKind, readContactKey } from "./people.ts";

interface OtherForm {
  kind: ContactKind;
  form: string;
  value: string;
  shown: string | null;
}

/**
 * Gives rows their contact's canonical form where an earlier release, which may still be running, has stored another
 * one [people.one-number]: when the contact is typed or ordered again. If two people hold two forms, both stay as they
 * are until an operator merges them (duplicates.ts), and after that too, so that it can be undone. Most contacts have
 * only one form, and cost nothing.
 *
 * The caller's transaction must hold the store's revision.
 */
export async function adoptForms(tx: StoreTransaction, keys: readonly string[]): Promise<void> {
  const others = keys.map(readContactKey).flatMap(({ kind, value }) =>
    contactForms(kind, value)
      .slice(1)
      .map((form): OtherForm => ({ kind, form, value, shown: storedContact(kind, form).shown })),
  );
  if (others.length === 0 || !(await areStored(tx, others))) return;
  const names = others.flatMap(({ form, value }) => [form, value]);
  const rows = await tx.all(sql<Contact & { profile_id: string; merge_id: string | null }>`
  SELECT i.kind, i.value, i.profile_id, i.merge_id FROM identities i WHERE i.store_id = ${ownStore} AND i.value = ${anyOf(names, "text")}`);
  const held = (kind: ContactKind, value: string) => rows.find((row) => row.kind === kind && row.value === value);
  const isOnePersons = ({ kind, form, value }: OtherForm): boolean => {
    const [row, other] = [held(kind, value), held(kind, form)];
    if (row?.merge_id || other?.merge_id) return false;
    return row === undefined || other === undefined || row.profile_id === other.profile_id;
  };
  await rename(tx, others.filter(isOnePersons));
}

async function areStored(tx: StoreTransaction, others: readonly OtherForm[]): Promise<boolean> {
  const kinds = [...new Set(others.map(({ kind }) => kind))];
  const forms = others.map(({ form }) => form);
  const found = await tx.first(sql`
  SELECT 1 FROM identities i
    WHERE i.store_id = ${ownStore} AND i.kind = ${anyOf(kinds, "text")} AND i.value = ${anyOf(forms, "text")}
  UNION ALL SELECT 1 FROM captures c
    WHERE c.store_id = ${ownStore} AND c.kind = ${anyOf(kinds, "text")} AND c.value = ${anyOf(forms, "text")}
  UNION ALL SELECT 1 FROM order_keys k WHERE k.store_id = ${ownStore} AND k.value = ${anyOf(forms, "text")}
  LIMIT 1`);
  return found !== undefined;
}

async function rename(tx: StoreTransaction, others: readonly OtherForm[]): Promise<void> {
  if (others.length === 0) return;
  const [kinds, forms] = [others.map(({ kind }) => kind), others.map(({ form }) => form)];
  const [values, shown] = [others.map(({ value }) => value), others.map((each) => each.shown)];
  const renamed = sql`unnest(${kinds}::text[], ${forms}::text[], ${values}::text[], ${shown}::text[])
    AS f (kind, form, value, shown)`;
  // its person holds the canonical form too
  await tx.all(sql`
  DELETE FROM identities i USING ${renamed}, identities o
  WHERE i.store_id = ${ownStore} AND i.kind = f.kind AND i.value = f.form
    AND o.store_id = ${ownStore} AND o.kind = f.kind AND o.value = f.value`);
  await tx.all(sql`
  UPDATE identities i SET value = f.value, shown = f.shown FROM ${renamed}
  WHERE i.store_id = ${ownStore} AND i.kind = f.kind AND i.value = f.form`);
  await tx.all(sql`
  UPDATE captures c SET value = f.value, shown = f.shown FROM ${renamed}
  WHERE c.store_id = ${ownStore} AND c.kind = f.kind AND c.value = f.form`);
  await tx.all(sql`
  DELETE FROM order_keys k USING ${renamed}, order_keys o
  WHERE k.store_id = ${ownStore} AND k.tier = f.kind AND k.value = f.form
    AND o.store_id = ${ownStore} AND o.order_id = k.order_id AND o.tier = f.kind AND o.value = f.value`);
  await tx.all(sql`
  UPDATE order_keys k SET value = f.value FROM ${renamed}
  WHERE k.store_id = ${ownStore} AND k.tier = f.kind AND k.value = f.form`);
}
