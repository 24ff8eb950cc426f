import { type AnyEnvelope, apiVersion } from "../../contract/events.ts";
import { isoTime } from "../platform/clock.ts";
import { formatId } from "../platform/ids.ts";

/** The body of a delivery [webhooks.envelope]. It is serialized once: these exact bytes are signed, stored and sent. */
export function envelopeText(event: { id: string; topic: string; created: Date }, object: object): string {
  const envelope: AnyEnvelope = {
    id: formatId("evt", event.id),
    type: event.topic,
    created: isoTime(event.created),
    api_version: apiVersion,
    data: { object },
  };
  return JSON.stringify(envelope);
}
