import { discardCopies } from "../columnar-copy/records.ts";
import { type ErasureDeps, erasePeopleByContact } from "../erasure/erase.ts";
import { eraseStore } from "../erasure/erase-store.ts";
import { LedgerFile, ledgerPath } from "../erasure/ledger.ts";
import type { RedactedContacts } from "../erasure/redacted.ts";
import { replayErasures } from "../erasure/replay.ts";
import { forgetExports } from "../exports/end-exports.ts";
import { forgetContacts } from "../orders/requests.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/database/database.ts";
import type { StoreTransaction, Transaction } from "../platform/database/sql.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";
import { VersionCache } from "../quizzes/public.ts";
import { eraseSessionAnswers } from "../sessions/erase.ts";
import { forgetDeliveries } from "../webhooks/forget-deliveries.ts";
import { disconnect } from "./disconnect.ts";

/** Which slices erase what, and where the ledger is. A slice that stores personal data is listed here. */

/** The program's foundations that erasure needs. */
export interface ErasureFoundations {
  config: Pick<Config, "dataDir">;
  database: Database;
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
  log: Log;
}

export function erasureDeps(
  { calendar, random, secrets, config }: ErasureFoundations,
  versions = new VersionCache(),
): ErasureDeps {
  return {
    now: () => calendar.now(),
    random,
    secrets,
    ledger: new LedgerFile(ledgerPath(config.dataDir)),
    erasers: [
      // before the sessions, whose answers say what to look for
      { name: "webhooks", forgetPeople: (tx, erased) => forgetDeliveries(tx, tx.storeId, erased) },
      {
        name: "sessions",
        forgetPeople: async (tx, erased) => {
          await eraseSessionAnswers(tx, versions, erased);
          return [];
        },
      },
      { name: "exports", forgetPeople: (tx, { search }) => forgetExports(tx, search.holds, calendar.now()) },
      { name: "orders", forgetPeople: forgetContacts },
      {
        name: "facts",
        forgetPeople: async (tx) => {
          await discardCopies(tx);
          return [];
        },
      },
    ],
  };
}

/** Handles the commerce platform's redaction requests [erasure.redacted-customer, erasure.redacted-shop]. */
export function redactionEraser(foundations: ErasureFoundations, versions: VersionCache) {
  const deps = erasureDeps(foundations, versions);
  return {
    erasePeople: async (tx: StoreTransaction, contacts: RedactedContacts): Promise<void> => {
      await erasePeopleByContact(tx, deps, contacts, { by: "customers/redact" });
    },
    eraseStore: async (transaction: Transaction, storeId: string): Promise<void> => {
      await disconnect(transaction, foundations, storeId);
      await eraseStore(transaction, storeId, deps, { by: "shop/redact" });
    },
  };
}

/** Runs before anything is served: a restored backup must not show anybody who was erased since it was made. */
export async function replayAtStart(foundations: ErasureFoundations): Promise<void> {
  await replayErasures(foundations.database, erasureDeps(foundations), foundations.log);
}
