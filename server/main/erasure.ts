import { join } from "node:path";
import { erasePeopleByContact } from "../erasure/erase-people.ts";
import { eraseStore } from "../erasure/erase-store.ts";
import type { ErasureDeps } from "../erasure/eraser.ts";
import { LedgerFile } from "../erasure/ledger-file.ts";
import { replayErasures } from "../erasure/replay.ts";
import { forgetExports } from "../exports/end-exports.ts";
import { forgetContacts } from "../orders/forget.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/database/database.ts";
import type { Transaction } from "../platform/database/sql.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";
import { VersionCache } from "../quizzes/public.ts";
import { eraseSessionAnswers } from "../sessions/erase.ts";
import { forgetDeliveries } from "../webhooks/forget-deliveries.ts";
import { disconnect } from "./disconnect.ts";

/** Who erases what, and where the ledger lies. A slice that holds something of people is named here. */

/** Of what the program stands on. */
export interface ErasureFoundations {
  config: Pick<Config, "dataDir">;
  database: Database;
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
  log: Log;
}

export const ledgerPath = (dataDir: string): string => join(dataDir, "erasures.ndjson");

export function erasureTools(
  { calendar, random, secrets, config }: ErasureFoundations,
  versions = new VersionCache(),
): ErasureDeps {
  return {
    now: () => calendar.now(),
    random,
    secrets,
    ledger: new LedgerFile(ledgerPath(config.dataDir)),
    erasers: [
      // before the sessions, whose answers tell what to look for
      { name: "webhooks", forgetPeople: (tx, storeId, erased) => forgetDeliveries(tx, storeId, erased) },
      {
        name: "sessions",
        forgetPeople: async (tx, storeId, { emails, linkedEmails, ...erased }) => {
          const texts = [...emails, ...linkedEmails].flatMap((value) => [value, value.replace("@", "%40")]);
          await eraseSessionAnswers(tx.forStore(storeId), versions, { ...erased, texts });
          return [];
        },
      },
      { name: "exports", forgetPeople: (tx, storeId) => forgetExports(tx, storeId, calendar.now()) },
      { name: "orders", forgetPeople: (tx, storeId, erased) => forgetContacts(tx, storeId, erased) },
      {
        name: "facts",
        forgetPeople: async (tx, storeId) => {
          // brings DuckDB with it, which nobody else here needs
          const { discardCopies } = await import("../columnar-copy/public.ts");
          await discardCopies(tx, storeId);
          return [];
        },
      },
    ],
  };
}

/** What the commerce platform's redactions ask for [erasure.redacted-customer, erasure.redacted-shop]. */
export function redactionEraser(foundations: ErasureFoundations, versions: VersionCache) {
  const deps = erasureTools(foundations, versions);
  return {
    erasePeople: async (
      tx: Transaction,
      storeId: string,
      { emails, phones, order_ids: orderIds }: { emails: string[]; phones: string[]; order_ids: string[] },
    ): Promise<void> => {
      await erasePeopleByContact(tx, deps, storeId, { emails, phones, orderIds }, { by: "customers/redact" });
    },
    eraseStore: async (tx: Transaction, storeId: string): Promise<void> => {
      await disconnect(tx, foundations, storeId);
      await eraseStore(tx, deps, storeId, { by: "shop/redact" });
    },
  };
}

/** Before anything is served: a restored backup must not show anybody who was erased since it was made. */
export async function replayAtStart(foundations: ErasureFoundations): Promise<void> {
  await replayErasures(foundations.database, erasureTools(foundations), foundations.log);
}
