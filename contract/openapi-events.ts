import type { TSchema } from "typebox";
import { eventExamples } from "./event-examples.ts";
import { type EventTopic, eventEnvelope, eventObjects, type pingTopic } from "./events.ts";

/** Webhook events as the `webhooks` of an OpenAPI document. */

const meanings: Record<EventTopic | typeof pingTopic, string> = {
  "quiz.started": "The first answer of a session",
  "quiz.finished": "A minute after a session reached its end",
  "quiz.abandoned": "30 minutes without an event in a session that has an answer",
  "identity.captured": "An email or phone was left; only to endpoints with include_pii",
  "profile.created": "A contact made a new person",
  "profile.updated": "A person's set of contacts changed",
  "quiz.published": "A version went live",
  "export.completed": "An export is ready; read it for its link",
  "webhook.endpoint.disabled": "Another endpoint was disabled by the service",
  ping: "You asked for it",
};

/** The name of a topic's function in generated receivers: quiz.started, onQuizStarted. */
const receiverOf = (topic: string): string =>
  `on${topic.replaceAll(/(?:^|\.)(\w)/g, (_, first) => first.toUpperCase())}`;

export function describeEvents(reference: (shape: TSchema) => unknown): Record<string, unknown> {
  const described = eventExamples.map((example) => {
    const schema = reference(eventEnvelope(example.type, eventObjects[example.type]));
    const post = {
      operationId: receiverOf(example.type),
      tags: ["Webhooks"],
      summary: meanings[example.type],
      security: [],
      requestBody: { required: true, content: { "application/json": { schema, example } } },
      responses: {
        "2XX": { description: "Taken. Anything else is a failure, after which the event is sent again" },
        "410": { description: "Disables the endpoint" },
      },
    };
    return [example.type, { post }] as const;
  });
  return Object.fromEntries(described);
}
