import type { PayloadBuilder } from "../platform/event-payloads.ts";
import { parseId } from "../platform/ids.ts";

/**
 * webhook.endpoint.disabled [webhooks.disabled-event]: told to the store's other endpoints, whatever has become of this
 * one since.
 */
export const endpointPayloads: PayloadBuilder = {
  topics: ["webhook.endpoint.disabled"],
  build: async (_db, _storeId, events) =>
    new Map(
      events.map(({ id, data }) => {
        const disabled = parseId("whe", String(data["endpoint_id"]));
        return [id, { object: data, ...(disabled === null ? {} : { exceptEndpoint: disabled }) }];
      }),
    ),
};
