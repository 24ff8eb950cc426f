import type { Transaction } from "../../platform/database/database.ts";
import { contactKey } from "../people.ts";
import { erase } from "./erase.ts";
import type { ErasureTools } from "./eraser.ts";
import type { LedgerEntry } from "./ledger-file.ts";
import { readConcernedPeople } from "./subject.ts";

/** The ways to say who is to be erased. */

const nobodyElse = { sessionIds: [], contacts: [], orderIds: [] };

export async function erasePersonById(
  tx: Transaction,
  tools: ErasureTools,
  storeId: string,
  profileId: string,
  by: string,
): Promise<LedgerEntry | null> {
  const subject = { ...nobodyElse, profileIds: [profileId] };
  return erase(tx, tools, storeId, subject, { by });
}

export interface RedactedContacts {
  /** as identities have them */
  emails: readonly string[];
  phones: readonly string[];
  /** global ids */
  orderIds: readonly string[];
}

/**
 * Whoever holds one of the contacts, or is behind one of the orders: at checkout people may leave another address than in
 * a quiz. The contacts themselves go in any case, also where nobody holds them.
 */
export async function eraseContacts(
  tx: Transaction,
  tools: ErasureTools,
  storeId: string,
  { emails, phones, orderIds }: RedactedContacts,
  by: string,
): Promise<LedgerEntry | null> {
  const contacts = [
    ...emails.map((value) => contactKey({ kind: "email", value })),
    ...phones.map((value) => contactKey({ kind: "phone", value })),
  ];
  if (contacts.length + orderIds.length === 0) return null;
  const profileIds = await readConcernedPeople(tx, storeId, contacts, orderIds);
  const subject = { profileIds, sessionIds: [], contacts, orderIds };
  return erase(tx, tools, storeId, subject, { by });
}
