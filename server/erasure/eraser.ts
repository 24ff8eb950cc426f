import type { Transaction } from "../platform/database/sql.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { StoreChange } from "../stores/public.ts";
import type { LedgerFile } from "./ledger-file.ts";

/** What erasing takes, and what the slices that hold something of people do for it. */

/** What has to go. People have `removed_at` already, and sessions and orders keep naming them, so that counts stay. */
export interface ErasedPeople {
  /** UUIDs */
  profileIds: readonly string[];
  /** UUIDs of sessions that were theirs: whatever was typed freely in them */
  sessionIds: readonly string[];
  /** single answers of other sessions that hold one of the contacts; UUIDs */
  answers: readonly { sessionId: string; eventId: string }[];
  /** UUIDs of other sessions whose first address or campaign holds one of these emails */
  openedWith: readonly string[];
  linkedEmails: readonly string[];
  /** global ids of orders that a redaction names */
  orderIds: readonly string[];
  /** as identities have them; to go wherever they are */
  emails: readonly string[];
  phones: readonly string[];
}

/**
 * A slice that holds something of people. Its part runs in the erasing transaction, which has raised the store's revision:
 * it answers what changed, besides the people and the sessions that it was given, and records nothing itself.
 */
export interface Eraser {
  name: string;
  forgetPeople(tx: Transaction, storeId: string, erased: ErasedPeople): Promise<readonly StoreChange[]>;
}

export interface ErasureDeps {
  /** the calendar, ms */
  now: () => number;
  random: RandomBytes;
  secrets: Secrets;
  ledger: LedgerFile;
  erasers: readonly Eraser[];
}
