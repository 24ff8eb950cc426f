import type { PayloadBuilder } from "../platform/event-payloads.ts";

/**
 * export.completed [exports.event]: its object was written down with the completion itself, and is sent as it was then.
 */
export const exportPayloads: PayloadBuilder = {
  topics: ["export.completed"],
  build: async (_db, _storeId, events) => new Map(events.map(({ id, data }) => [id, { object: data }])),
};
