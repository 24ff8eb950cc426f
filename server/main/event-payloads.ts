import { exportPayloads } from "../exports/completed-event.ts";
import type { PayloadBuilder } from "../platform/event-payloads.ts";
import { profilePayloads } from "../profiles/payloads.ts";
import { quizPayloads } from "../quizzes/payloads.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { sessionPayloads } from "../sessions/payloads/builder.ts";
import { endpointPayloads } from "../webhooks/disabled-event.ts";

/** The payload builders of all webhook topics. A slice with its own events is listed here. */
export const eventPayloads = (deps: { baseUrl: string; versions: VersionCache }): PayloadBuilder[] => [
  sessionPayloads(deps),
  profilePayloads(deps),
  quizPayloads,
  exportPayloads,
  endpointPayloads,
];
