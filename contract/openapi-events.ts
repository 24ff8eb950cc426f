import type { TSchema } from "typebox";
import { eventEnvelope, eventExamples, topics } from "./events.ts";

/** Webhook events as the `webhooks` of an OpenAPI document. */

/** The name of a topic's function in generated receivers: quiz.started, onQuizStarted. */
const receiverOf = (topic: string): string =>
  `on${topic.replaceAll(/(?:^|\.)(\w)/g, (_, first) => first.toUpperCase())}`;

export function describeEvents(reference: (shape: TSchema) => unknown): Record<string, unknown> {
  const described = eventExamples.map((example) => {
    const schema = reference(eventEnvelope(example.type, topics[example.type].object));
    const post = {
      operationId: receiverOf(example.type),
      tags: ["Webhooks"],
      summary: topics[example.type].meaning,
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
