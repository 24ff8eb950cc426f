import { type Static, type TSchema, Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf, urls } from "./common.ts";
import { exportFields } from "./exports.ts";
import { answerKinds, outcome, pointsEntry, resultPage, shownProduct } from "./profiles.ts";

/** Webhook events: topics, envelope and the object of each topic (docs/rules/webhooks.md, event-examples.ts). */

/** Topics that an endpoint can subscribe to. */
export const eventTopics = [
  "quiz.started",
  "quiz.finished",
  "quiz.abandoned",
  "identity.captured",
  "profile.created",
  "profile.updated",
  "quiz.published",
  "export.completed",
  "webhook.endpoint.disabled",
] as const;
export type EventTopic = (typeof eventTopics)[number];

/** Sent on request, never subscribed to. */
export const pingTopic = "ping";

const text = (description?: string) => Type.String(description ? { description } : {});
const optionalText = (description?: string) => nullable(text(description));

const contactKind = oneOf(["email", "phone"]);
const consent = nullable(
  Type.Boolean({ description: "The checkbox beside the field: false when it was left unticked, null without one" }),
);

export const eventDevice = Type.Object(
  {
    class: oneOf(["desktop", "mobile", "tablet", "other"]),
    family: optionalText(),
    vendor: optionalText(),
    model: optionalText(),
    browser: optionalText(),
    browser_version: optionalText(),
    os: optionalText(),
    os_version: optionalText(),
  },
  { title: "EventDevice", description: "Unknown parts are null" },
);

/** The fields that identify a session in every payload about one. */
const sessionFields = {
  id: id("sess"),
  quiz_id: id("quiz"),
  quiz_name: optionalText("Of a deleted quiz too; null when its record is gone"),
  version_id: nullable(id("ver", "The version that was taken; null when it is gone")),
  version_number: nullable(Type.Integer()),
  visitor_id: id("vis"),
  channel: text(),
  country: optionalText("ISO 3166-1 alpha-2"),
  page_url: optionalText("Origin and path, without the query string"),
  utm_source: optionalText(),
  utm_medium: optionalText(),
  utm_campaign: optionalText(),
  utm_content: optionalText(),
  utm_term: optionalText(),
  started_at: described("The first answer", dateTime()),
  device: eventDevice,
};

export const quizStartedObject = Type.Object(
  { ...sessionFields, placement: optionalText(), region: optionalText() },
  { title: "QuizStarted" },
);
export type QuizStartedObject = Static<typeof quizStartedObject>;

const eventAnswer = Type.Object(
  {
    page_key: text(),
    kind: oneOf(answerKinds),
    option_ids: Type.Optional(Type.Array(Type.String(), { description: "Of choice and image questions alone" })),
    value: Type.Unknown({ description: "As stored: option ids, a string, a number or {date, time}" }),
    values: Type.Array(Type.String(), { description: "What a person reads" }),
    label: text("The question"),
  },
  { title: "EventAnswer" },
);
export type EventAnswer = Static<typeof eventAnswer>;

export const sessionIdentity = Type.Object(
  {
    kind: contactKind,
    value: text("An email in lower case, a phone in E.164"),
    consent,
    page_key: text(),
    component_key: text(),
  },
  { title: "SessionIdentity" },
);
export type SessionIdentity = Static<typeof sessionIdentity>;

const soFarFields = {
  ...sessionFields,
  ended_at: nullable(dateTime()),
  answers: Type.Record(Type.String(), eventAnswer, {
    description: "The answers in force, by component_key; without those to email and phone fields unless include_pii",
  }),
  last_page: nullable(
    Type.Object({
      page_key: text(),
      title: optionalText(),
      position: nullable(Type.Integer({ description: "From 1" })),
    }),
  ),
  answered_count: count("Questions with an answer in force, contact fields included"),
  identities: Type.Optional(
    Type.Array(sessionIdentity, { description: "Contacts in force in the session; only with include_pii" }),
  ),
};

export const quizAbandonedObject = Type.Object(soFarFields, { title: "QuizAbandoned" });
export type QuizAbandonedObject = Static<typeof quizAbandonedObject>;

const eventProduct = Type.Object(
  {
    ...shownProduct.properties,
    page_key: text(),
    position: nullable(Type.Integer({ description: "Place within its block, as the browser reported it" })),
    source: optionalText("How it was picked: fixed, winner, answers, rules or fallback"),
  },
  { title: "EventProduct", description: "A product that was shown, with what the catalog says of it now" },
);

const propertyMapping = Type.Object(
  {
    question_key: text(),
    question_label: text(),
    property_name: text(),
    option_values: Type.Array(Type.String(), {
      description: "What the mapping makes of the chosen options, else their labels; any other answer as one string",
    }),
  },
  { title: "EventPropertyMapping" },
);

const resultFields = {
  ...soFarFields,
  completed_at: nullable(dateTime()),
  formulas: Type.Array(Type.Object({ page_key: text(), component_key: text(), label: text(), value: Type.Number() }), {
    description: "Those that have a value",
  }),
  points: Type.Array(pointsEntry, { description: "Every dimension of the quiz" }),
  points_total: nullable(Type.Number({ description: "Null without dimensions" })),
  terminal_page: nullable(resultPage),
  outcome: nullable(outcome),
  products_shown: Type.Array(eventProduct),
  property_mappings: Type.Array(propertyMapping, { description: "Of answered questions" }),
};

export const quizFinishedObject = Type.Object({ ...resultFields, completed_at: dateTime() }, { title: "QuizFinished" });
export type QuizFinishedObject = Static<typeof quizFinishedObject>;

export const identityCapturedObject = Type.Object(
  {
    ...resultFields,
    identities: Type.Array(sessionIdentity, { description: "The captured one is among them" }),
    identity: sessionIdentity,
  },
  { title: "IdentityCaptured", description: "The session up to the answer that left the contact" },
);
export type IdentityCapturedObject = Static<typeof identityCapturedObject>;

export const profileEventObject = Type.Object(
  {
    id: id("prof"),
    created_at: dateTime(),
    first_seen_at: nullable(dateTime()),
    last_seen_at: dateTime(),
    session_id: nullable(id("sess", "The session that left the contact")),
    quiz_id: nullable(id("quiz")),
    identities_from_session: Type.Array(contactKind),
    urls,
    identities: Type.Optional(
      Type.Array(
        Type.Object({
          kind: contactKind,
          value: text(),
          first_seen_at: nullable(dateTime()),
          last_seen_at: nullable(dateTime()),
          consent,
        }),
        { description: "Only with include_pii" },
      ),
    ),
  },
  { title: "ProfileEvent" },
);
export type ProfileEventObject = Static<typeof profileEventObject>;

export const quizPublishedObject = Type.Object(
  { quiz_id: id("quiz"), quiz_name: text(), version_id: id("ver"), version_number: count(), published_at: dateTime() },
  { title: "QuizPublished" },
);

export const exportCompletedObject = Type.Object(
  {
    ...exportFields,
    download_url: described("Always null here: read the export for a link", Type.Null()),
    download_url_expires_at: Type.Null(),
  },
  { title: "ExportCompleted" },
);

export const endpointDisabledObject = Type.Object(
  {
    endpoint_id: id("whe"),
    url: text(),
    reason: oneOf(["failing", "gone"], "failing: five days of failures; gone: the receiver answered 410"),
    failing_since: nullable(dateTime()),
    disabled_at: dateTime(),
  },
  { title: "EndpointDisabled" },
);

export const pingObject = Type.Object({ endpoint_id: id("whe") }, { title: "Ping" });

/** The object of each topic. */
export const eventObjects = {
  "quiz.started": quizStartedObject,
  "quiz.finished": quizFinishedObject,
  "quiz.abandoned": quizAbandonedObject,
  "identity.captured": identityCapturedObject,
  "profile.created": profileEventObject,
  "profile.updated": profileEventObject,
  "quiz.published": quizPublishedObject,
  "export.completed": exportCompletedObject,
  "webhook.endpoint.disabled": endpointDisabledObject,
  ping: pingObject,
} as const satisfies Record<EventTopic | typeof pingTopic, TSchema>;

export const apiVersion = "v1";

/** The signed request body. It names no store, because an endpoint belongs to one. */
export const eventEnvelope = <Topic extends string, Shape extends TSchema>(topic: Topic, object: Shape) =>
  Type.Object({
    id: id("evt", "The same on every attempt and redelivery"),
    type: Type.Literal(topic),
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
