import { exportPayloads } from "../exports/completed-event.ts";
import type { PayloadBuilders } from "../platform/event-payloads.ts";
import { profilePayloads } from "../profiles/payloads.ts";
import { quizPayloads } from "../quizzes/payloads.ts";
import type { VersionCache } from "../quizzes/public.ts";
import { sessionPayloads } from "../sessions/payloads/builder.ts";
import { endpointPayloads } from "../webhooks/disabled-event.ts";

/** Who builds the payloads of each webhook topic: a topic without a builder does not compile. */
export function eventPayloads(deps: { baseUrl: string; versions: VersionCache }): PayloadBuilders {
  const session = sessionPayloads(deps);
  const profile = profilePayloads(deps);
  return {
    "quiz.started": session,
    "quiz.finished": session,
    "quiz.abandoned": session,
    "identity.captured": session,
    "profile.created": profile,
    "profile.updated": profile,
    "quiz.published": quizPayloads,
    "export.completed": exportPayloads,
    "webhook.endpoint.disabled": endpointPayloads,
  };
}
