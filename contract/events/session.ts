import { type Static, Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf } from "../common.ts";
import { answerKinds, outcome, pointsEntry, resultPage, shownProduct } from "../profiles.ts";

/** What events about sessions have in common: each object adds to one of sessionFields, soFarFields and resultFields. */

export const text = (description?: string) => Type.String(description ? { description } : {});
export const optionalText = (description?: string) => nullable(text(description));

export const contactKind = oneOf(["email", "phone"]);
export const consent = nullable(
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
export const sessionFields = {
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

const eventAnswer = Type.Object(
  {
    page_key: text(),
    kind: oneOf(answerKinds),
    option_ids: Type.Optional(Type.Array(Type.String(), { description: "Of choice and image questions alone" })),
    other_text: Type.Optional(
      Type.String({
        description: "What was written beside the option with a text field; of choice and image questions",
      }),
    ),
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

export const soFarFields = {
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

export const resultFields = {
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
