import { writeFile } from "node:fs/promises";
import { readPersonData } from "../erasure/person-data.ts";
import { type Calendar, isoTime } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { isUuid } from "../platform/ids.ts";
import { OperatorError, UsageError } from "../platform/operator-error.ts";
import { closeDataRequest, readDataRequest } from "./requests.ts";

/** Implements `quizstore person data-request answer` [command-line.data-request]. It prints no personal data. */

/**
 * Writes the answer, readable only by its owner, before the request's closing is committed: if writing fails, the
 * request stays open.
 */
export async function answerDataRequest(
  { database, calendar }: { database: Database; calendar: Calendar },
  store: { id: string; name: string },
  { requestId, out }: { requestId: string; out: string },
) {
  if (!isUuid(requestId)) throw new UsageError(`${requestId} is not the id of a data request, as the list has it`);
  return database.transaction(async (transaction) => {
    const tx = transaction.forStore(store.id);
    const request = await readDataRequest(tx, requestId);
    if (!request) throw new OperatorError(`there is no data request ${requestId} waiting for an answer`);
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
