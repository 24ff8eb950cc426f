import type { StoreTransaction } from "../platform/database/sql.ts";
import type { PayloadBuilder } from "../platform/event-payloads.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import { appendEvents } from "../platform/outbox.ts";
import { type ExportRow, exportAnswer } from "./export-rows.ts";

/** export.completed [exports.event]. Its object is stored when the export completes, and is sent unchanged. */

const topic = "export.completed";

/** @param now calendar time in ms */
export async function appendCompletedEvent(
  tx: StoreTransaction,
  { random, baseUrl, now }: { random: RandomBytes; baseUrl: string; now: number },
  row: ExportRow,
): Promise<void> {
  const data = { ...exportAnswer(row, { baseUrl, now }), download_url: null, download_url_expires_at: null };
  const nobody = { quizId: null, sessionId: null, profileId: null };
  const at = new Date(now);
  const event = { id: uuidAt(now, random), topic, created: at, due: at, ...nobody, data };
  await appendEvents(tx, tx.storeId, now, [event]);
}

export const exportPayloads: PayloadBuilder = {
  build: async (_db, _storeId, events) => new Map(events.map(({ id, data }) => [id, { object: data }])),
};
