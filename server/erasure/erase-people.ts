import type { Transaction } from "../platform/database/sql.ts";
import { contactKey } from "../profiles/people.ts";
import { erase } from "./erase.ts";
import type { ErasureDeps } from "./eraser.ts";
import type { LedgerEntry } from "./ledger-file.ts";
import { readRedacted } from "./redacted.ts";

/** The ways to say who is to be erased. */

const nobodyElse = { sessionIds: [], contacts: [], orderIds: [] };

/**
 * Erases a person: contacts and free text go wherever they are, rows that are counted stay. Null: there is nobody by
 * that id, or not any more. An answer that arrives later in one of the sessions is new: a contact in it makes a new
 * person.
 */
export async function erasePerson(
  tx: Transaction,
  deps: ErasureDeps,
  storeId: string,
  profileId: string,
  { by }: { by: string },
): Promise<LedgerEntry | null> {
  const subject = { ...nobodyElse, profileIds: [profileId] };
  return erase(tx, deps, storeId, async () => subject, { by });
}

export interface RedactedContacts {
  /** as identities have them */
  emails: readonly string[];
  phones: readonly string[];
  /** global ids */
  orderIds: readonly string[];
}

/**
 * Erases the contacts that are listed, wherever they are, and what hangs on them alone: a person who holds no other, and
 * of others the sessions in which none of their other contacts was left. Whoever bought one of the orders and holds none
 * of the contacts, since people leave another address at checkout than in a quiz, loses what their browser brought in the
 * session that the order names.
 */
export async function erasePeopleByContact(
  tx: Transaction,
  deps: ErasureDeps,
  storeId: string,
  { emails, phones, orderIds }: RedactedContacts,
  { by }: { by: string },
): Promise<LedgerEntry | null> {
  const listed = [
    ...emails.map((value) => contactKey({ kind: "email", value })),
    ...phones.map((value) => contactKey({ kind: "phone", value })),
  ];
  if (listed.length + orderIds.length === 0) return null;
  return erase(tx, deps, storeId, () => readRedacted(tx, storeId, listed, orderIds), { by });
}
