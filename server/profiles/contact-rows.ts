import { contactForms } from "../platform/contacts.ts";
import { type Statement, sql } from "../platform/database/sql.ts";
import { type Contact, contactKey, readContactKey } from "./people.ts";

/** The contacts with these keys as rows `k (kind, value)`, for FROM. */
export function contactRows(keys: readonly string[]): Statement<Contact> {
  const contacts = keys.map(readContactKey);
  return sql`unnest(${contacts.map(({ kind }) => kind)}::text[], ${contacts.map(({ value }) => value)}::text[])
    AS k (kind, value)`;
}

/** The keys of all forms in which these contacts may be stored, in this release or an earlier one [people.one-number]. */
export const everyForm = (keys: readonly string[]): string[] =>
  keys
    .map(readContactKey)
    .flatMap(({ kind, value }) => contactForms(kind, value).map((form) => contactKey({ kind, value: form })));

/** The same as a subquery, for IN. */
export const kindsAndValues = (keys: readonly string[]): Statement<Contact> =>
  sql`SELECT k.kind, k.value FROM ${contactRows(keys)}`;
