import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ColumnarCopies, recordedCopies } from "../columnar-copy/public.ts";
import type { CommandDeps } from "../platform/command-line/commands.ts";
import { assertFile } from "../platform/command-line/files.ts";
import { formatId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { type ErasureDeps, erasePerson } from "./erase.ts";
import { LedgerFile } from "./ledger.ts";
import { type Replayed, replayErasures } from "./replay.ts";
import { type Verified, verifyErased } from "./verify.ts";

/** Implements `quizstore person erase`, `verify-erased` and `replay-erasures`. They print no personal data. */

export interface ErasureCommandDeps extends CommandDeps {
  erasure: ErasureDeps;
}

export async function erasePersonNamed(deps: ErasureCommandDeps, storeId: string, profileId: string) {
  const erasure = await deps.database.transaction((tx) =>
    erasePerson(tx.forStore(storeId), deps.erasure, profileId, { by: "operator" }),
  );
  if (erasure === null) throw new OperatorError(`there is no person ${formatId("prof", profileId)} in this store`);
  await clearCopies(deps);
  const { erased_at, revision, session_ids } = erasure;
  return { profile_id: formatId("prof", profileId), erased_at, sessions: session_ids.length, revision };
}

/**
 * Entries of the data directory that are not searched: the database itself, which is searched through SQL, and the key.
 */
const notSearched = /^(postgres|postgres\.lock|secret\.key)$/;

export async function verifyPerson(
  { config, database, secrets }: Pick<CommandDeps, "config" | "database" | "secrets">,
  storeId: string,
  { profileId, values, waitMs }: { profileId: string; values: readonly string[]; waitMs: number },
): Promise<Verified> {
  const names = await readdir(config.dataDir).catch(() => []);
  const files = names
    .filter((name) => !notSearched.test(name))
    .map((name) => ({ path: join(config.dataDir, name), called: `data/${name}` }));
  const elsewhere = !config.exportStorage.startsWith(`${config.dataDir}/`) && !config.exportStorage.startsWith("s3:");
  if (elsewhere) files.push({ path: config.exportStorage, called: "exports" });
  const copies = (store: string) => recordedCopies(database.reader().forStore(store));
  const copyWait = { waitMs, pause: (ms: number) => setTimeout(ms) };
  return verifyErased({ database, secrets, copies, files, copyWait }, storeId, profileId, values);
}

/** Fails where it cannot have done what it is run for [erasure.replay-command]. */
export async function replayLedger(deps: ErasureCommandDeps, file: string | undefined) {
  if (file !== undefined) await assertFile(file);
  else await assertFolder(deps.config.dataDir);
  const from = file === undefined ? undefined : new LedgerFile(file);
  const result = await replayErasures(deps.database, deps.erasure, deps.log, from);
  await clearCopies(deps);
  const why = nothingReplayed(result, file !== undefined);
  if (why !== null) throw new OperatorError(`nothing was replayed: ${why}`);
  return result;
}

async function assertFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory()) {
    throw new OperatorError(
      `nothing was replayed: there is no folder ${path}; --data names the one with erasures.ndjson`,
    );
  }
}

/** null: erasures were replayed, or there was nothing to replay, as the job that maintains the ledger mostly finds. */
function nothingReplayed({ in_file, unknown_stores, broken_lines }: Replayed, named: boolean): string | null {
  if (in_file > 0 && unknown_stores === in_file) {
    return `none of the ${in_file} erasures in the ledger is of a store in this database; see that DATABASE_URL names the restored one`;
  }
  if (in_file > 0) return null;
  if (broken_lines > 0) return `no line of the ledger can be read (${broken_lines} are damaged)`;
  return named ? "the file of --ledger holds no erasures" : null;
}

/**
 * Deletes discarded copies that no running process holds, which would otherwise remain until the next start. A running
 * process deletes its own.
 */
async function clearCopies({ config, database, calendar, elapsed, random, log }: CommandDeps): Promise<void> {
  const directory = join(config.dataDir, "facts");
  const names = await readdir(directory).catch(() => []);
  if (names.length === 0) return;
  const facts = await ColumnarCopies.open({ directory, database, calendar, elapsed, random, log, threads: 1 });
  try {
    await facts.upkeep();
  } finally {
    await facts.close();
  }
}
