import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ColumnarCopies, recordedCopies } from "../columnar-copy/public.ts";
import { erasePerson } from "../erasure/erase.ts";
import { LedgerFile } from "../erasure/ledger.ts";
import { readPersonData } from "../erasure/person-data.ts";
import { replayErasures } from "../erasure/replay.ts";
import { type Verified, verifyErased } from "../erasure/verify.ts";
import { rematchOrders } from "../orders/ingest.ts";
import { closeDataRequest, listDataRequests, readDataRequest } from "../orders/requests.ts";
import { type Calendar, isoTime } from "../platform/clock.ts";
import { formatId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { listMerges, unmerge } from "../profiles/unmerge.ts";
import { erasureTools } from "./erasure.ts";
import { elapsed, type Opened } from "./foundations.ts";

/** What `quizstore person ...` does. Nothing that it prints is personal. */

export async function erasePersonNamed(opened: Opened, storeId: string, profileId: string) {
  const deps = erasureTools(opened);
  const erasure = await opened.database.transaction((tx) =>
    erasePerson(tx.forStore(storeId), deps, profileId, { by: "operator" }),
  );
  if (erasure === null) throw new OperatorError(`there is no person ${formatId("prof", profileId)} in this store`);
  await clearCopies(opened);
  const { erased_at, revision, session_ids } = erasure;
  return { profile_id: formatId("prof", profileId), erased_at, sessions: session_ids.length, revision };
}

export const mergesOf = ({ database }: Pick<Opened, "database">, storeId: string) =>
  listMerges(database.reader().forStore(storeId));

export async function unmergePerson({ database, calendar, random }: Opened, storeId: string, profileId: string) {
  const deps = { now: calendar.now(), random, rematchOrders };
  return database.transaction((tx) => unmerge(tx.forStore(storeId), profileId, deps));
}

export const dataRequestsOf = ({ database }: Pick<Opened, "database">, storeId: string) =>
  listDataRequests(database.reader().forStore(storeId));

/** Writes the answer for its eyes only, before the request is closed: a failure leaves both or neither. */
export async function answerDataRequest(
  { database, calendar }: Pick<Opened, "database"> & { calendar: Calendar },
  store: { id: string; name: string },
  { requestId, out }: { requestId: string; out: string },
) {
  return database.transaction(async (transaction) => {
    const tx = transaction.forStore(store.id);
    const request = await readDataRequest(tx, requestId);
    if (!request) throw new OperatorError(`there is no data request ${requestId} that waits for an answer`);
    const { emails, phones, order_ids: orderIds } = request.subject;
    const data = await readPersonData(tx, { emails, phones, orderIds });
    const at = new Date(calendar.now());
    const file = {
      store: store.name,
      requested_at: request.receivedAt,
      answered_at: isoTime(at),
      asked_for: request.subject,
      ...data,
    };
    await closeDataRequest(tx, requestId, at);
    await writeNew(out, `${JSON.stringify(file, null, 2)}\n`);
    const rows = Object.values(data).reduce((sum, part) => sum + part.length, 0);
    return { request_id: requestId, out, rows, answered_at: isoTime(at) };
  });
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(code === "EEXIST" ? `${path} exists already` : `${path} cannot be written`, {
      cause: error,
    });
  }
}

/** Names of the data directory that hold no texts of shoppers: the database itself, which is asked, and the key. */
const notSearched = /^(postgres|postgres\.lock|secret\.key)$/;

export async function verifyPerson(
  { config, database, secrets }: Pick<Opened, "config" | "database" | "secrets">,
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

export async function replayLedger(opened: Opened, file: string | undefined) {
  const from = file === undefined ? undefined : new LedgerFile(file);
  const result = await replayErasures(opened.database, erasureTools(opened), opened.log, from);
  await clearCopies(opened);
  return result;
}

/** Copies that no running process holds would wait for the next start to go; those in use are dealt with by their own. */
async function clearCopies({ config, database, calendar, random, log }: Opened): Promise<void> {
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
