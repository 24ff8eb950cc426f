import { isoTime } from "../platform/clock.ts";
import type { StoreTransaction } from "../platform/database/sql.ts";
import type { PayloadBuilder } from "../platform/event-payloads.ts";
import { formatId, parseId, type RandomBytes, uuidAt } from "../platform/ids.ts";
import { appendEvents } from "../platform/outbox.ts";

/** webhook.endpoint.disabled [webhooks.disabled-event], sent to the store's other endpoints. */

const topic = "webhook.endpoint.disabled";

interface DisabledEndpoint {
  /** UUID */
  id: string;
  url: string;
  disabled_reason: string | null;
  disabled_at: Date;
  failing_since: Date | null;
}

/** @param now calendar time in ms */
export async function appendDisabledEvent(
  tx: StoreTransaction,
  { random, now }: { random: RandomBytes; now: number },
  { id, url, disabled_reason: reason, disabled_at: at, failing_since: failingSince }: DisabledEndpoint,
): Promise<void> {
  const data = {
    endpoint_id: formatId("whe", id),
    url,
    reason,
    failing_since: failingSince && isoTime(failingSince),
    disabled_at: isoTime(at),
  };
  const nobody = { quizId: null, sessionId: null, profileId: null };
  const event = { id: uuidAt(at.getTime(), random), topic, created: at, due: at, ...nobody, data };
  await appendEvents(tx, tx.storeId, now, [event]);
}

/** The disabled endpoint itself never gets this event, even if it was enabled again since. */
export const endpointPayloads: PayloadBuilder = {
  build: async (_db, _storeId, events) =>
    new Map(
      events.map(({ id, data }) => {
        const disabled = parseId("whe", String(data["endpoint_id"]));
        return [id, { object: data, ...(disabled === null ? {} : { exceptEndpoint: disabled }) }];
      }),
    ),
};
