import { type Static, type TSchema, Type } from "typebox";
import { dateTime, described, id } from "./common.ts";
import { endpointDisabled } from "./events/endpoint-disabled.ts";
import { exportCompleted } from "./events/export-completed.ts";
import { identityCaptured } from "./events/identity-captured.ts";
import { ping } from "./events/ping.ts";
import { profileCreated } from "./events/profile-created.ts";
import { profileUpdated } from "./events/profile-updated.ts";
import { quizAbandoned } from "./events/quiz-abandoned.ts";
import { quizFinished } from "./events/quiz-finished.ts";
import { quizPublished } from "./events/quiz-published.ts";
import { quizStarted } from "./events/quiz-started.ts";
import type { About, Topic } from "./events/topic.ts";

/** Webhook events: the topics, each in a file of its own, and the envelope (docs/rules/webhooks.md). */

/** Topics that an endpoint can subscribe to, in the order in which people read them. */
const subscribable = {
  "quiz.started": quizStarted,
  "quiz.finished": quizFinished,
  "quiz.abandoned": quizAbandoned,
  "identity.captured": identityCaptured,
  "profile.created": profileCreated,
  "profile.updated": profileUpdated,
  "quiz.published": quizPublished,
  "export.completed": exportCompleted,
  "webhook.endpoint.disabled": endpointDisabled,
} as const satisfies Record<string, Topic>;

export type EventTopic = keyof typeof subscribable;
export const eventTopics = Object.keys(subscribable) as readonly EventTopic[];

export const pingTopic = "ping";

export const topics = { ...subscribable, [pingTopic]: ping } as const;
export type DeliveryTopic = keyof typeof topics;

/** The topics about one of these. */
export const topicsAbout = (...subjects: readonly About[]): readonly string[] =>
  eventTopics.filter((name) => subjects.includes(subscribable[name].about));

export const apiVersion = "v1";

/** The signed request body. It names no store, because an endpoint belongs to one. */
export const eventEnvelope = <Name extends string, Shape extends TSchema>(name: Name, object: Shape) =>
  Type.Object({
    id: id("evt", "The same on every attempt and redelivery"),
    type: Type.Literal(name),
    created: described("When the event happened", dateTime()),
    api_version: Type.Literal(apiVersion),
    data: Type.Object({ object }),
  });

/** The envelope of any topic, as deliveries show it. */
export const anyEnvelope = Type.Object(
  {
    id: id("evt"),
    type: Type.String({ description: "The topic" }),
    created: dateTime(),
    api_version: Type.String(),
    data: Type.Object({ object: Type.Unknown({ description: "What the topic is about; see the guide to webhooks" }) }),
  },
  { title: "EventEnvelope" },
);
export type AnyEnvelope = Static<typeof anyEnvelope>;

export interface EventExample<Name extends DeliveryTopic = DeliveryTopic> {
  id: string;
  type: Name;
  created: string;
  api_version: typeof apiVersion;
  data: { object: (typeof topics)[Name]["example"] };
}

const exampleOf = <Name extends DeliveryTopic>(type: Name, index: number): EventExample<Name> => ({
  id: `evt_0198f2c4e5f470718b9c0d1e2f3a4b${index.toString(16).padStart(2, "0")}`,
  type,
  created: topics[type].created,
  api_version: apiVersion,
  data: { object: topics[type].example },
});

/** An event of each topic, as sent to an endpoint with include_pii. */
export const eventExamples: readonly EventExample[] = [...eventTopics, pingTopic].map((name, index) =>
  exampleOf(name as DeliveryTopic, index),
);
