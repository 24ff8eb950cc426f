import type { Static } from "typebox";
import { apiVersion, type EventTopic, type eventObjects, type pingTopic } from "./events.ts";

/** An example of each topic, as sent to an endpoint with include_pii. */

type Objects = { [Topic in keyof typeof eventObjects]: Static<(typeof eventObjects)[Topic]> };

const session = {
  id: "sess_4f6b0d8a2c1e4b7f9a3d5c7e9b1f2d4a",
  quiz_id: "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
  quiz_name: "Find your routine",
  version_id: "ver_0198f2c4b2c17d4f8e6a7b8c9d0e1f2a",
  version_number: 3,
  visitor_id: "vis_9c2e7a4b1d8f4c6aa0e35b7d9f1c3e5a",
  channel: "online_store",
  country: "US",
  page_url: "https://shop.example.com/pages/quiz",
  utm_source: "newsletter",
  utm_medium: "email",
  utm_campaign: "autumn",
  utm_content: null,
  utm_term: null,
  started_at: "2026-09-14T18:18:00.000Z",
  device: {
    class: "mobile",
    family: "iPhone",
    vendor: "Apple",
    model: "iPhone",
    browser: "Safari",
    browser_version: "17.5",
    os: "iOS",
    os_version: "17.5",
  },
} as const;

const identity = {
  kind: "email",
  value: "ada@example.com",
  consent: true,
  page_key: "you",
  component_key: "email",
} as const;

const answers: Objects["quiz.finished"]["answers"] = {
  skin_type: {
    page_key: "skin",
    kind: "choice",
    option_ids: ["dry"],
    value: ["dry"],
    values: ["Tight and dry"],
    label: "How does your skin feel by noon?",
  },
  minutes: { page_key: "time", kind: "number", value: 10, values: ["10"], label: "Minutes a day?" },
  since: {
    page_key: "time",
    kind: "date",
    value: { date: "2026-05-01", time: null },
    values: ["2026-05-01"],
    label: "Since when?",
  },
  email: {
    page_key: "you",
    kind: "email",
    value: "Ada@Example.com ",
    values: ["Ada@Example.com "],
    label: "Where may we send your routine?",
  },
};

const product = {
  block_key: "routine",
  product_id: "gid://shopify/Product/632910392",
  currency: "USD",
  handle: "calming-cream",
  image: "https://cdn.example.com/calming-cream.jpg",
  title: "Calming cream",
  variant_id: null,
  variant_title: null,
  price: 24.5,
};

const soFar = {
  ...session,
  answers,
  last_page: { page_key: "you", title: "About you", position: 7 },
  answered_count: 4,
  identities: [identity],
};

const outcome = {
  formulas: [{ page_key: "result", component_key: "steps", label: "Steps a day", value: 3 }],
  points: [
    { dimension_id: "hydrate", name: "Hydration", total: 5 },
    { dimension_id: "clear", name: "Clarity", total: 1 },
  ],
  points_total: 6,
  property_mappings: [
    {
      question_key: "skin_type",
      question_label: "How does your skin feel by noon?",
      property_name: "skin_type",
      option_values: ["DRY"],
    },
  ],
};

const completedAt = "2026-09-14T18:21:07.000Z";

const person: Objects["profile.created"] = {
  id: "prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d",
  created_at: "2026-09-14T18:20:00.000Z",
  first_seen_at: "2026-09-14T18:17:30.000Z",
  last_seen_at: "2026-09-14T18:20:00.000Z",
  session_id: session.id,
  quiz_id: session.quiz_id,
  identities_from_session: ["email"],
  urls: { dashboard: "https://api.example.com/dashboard/profiles/prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d" },
  identities: [
    {
      kind: "email",
      value: "ada@example.com",
      first_seen_at: "2026-09-14T18:20:00.000Z",
      last_seen_at: "2026-09-14T18:20:00.000Z",
      consent: true,
    },
  ],
};

const objects: Objects = {
  "quiz.started": { ...session, placement: "header", region: "CA" },
  "quiz.finished": {
    ...soFar,
    ended_at: completedAt,
    last_page: { page_key: "result", title: "Your routine", position: 8 },
    completed_at: completedAt,
    ...outcome,
    terminal_page: {
      page_key: "result",
      title: "Your routine",
      position: 8,
      page_count: 8,
      shown_products: [product],
      outcome: { page_key: "result", dimension_id: "dry", name: "Dry skin" },
    },
    outcome: { page_key: "result", dimension_id: "dry", name: "Dry skin" },
    products_shown: [{ ...product, page_key: "result", position: 1, source: "winner" }],
  },
  "quiz.abandoned": { ...soFar, ended_at: "2026-09-14T18:50:00.000Z" },
  "identity.captured": {
    ...soFar,
    ended_at: null,
    completed_at: null,
    ...outcome,
    terminal_page: null,
    outcome: null,
    products_shown: [],
    identity,
  },
  "profile.created": person,
  "profile.updated": {
    ...person,
    last_seen_at: "2026-09-20T08:02:00.000Z",
    identities_from_session: ["email", "phone"],
    identities: [
      ...(person.identities ?? []),
      {
        kind: "phone",
        value: "+14155550123",
        first_seen_at: "2026-09-20T08:02:00.000Z",
        last_seen_at: "2026-09-20T08:02:00.000Z",
        consent: null,
      },
    ],
  },
  "quiz.published": {
    quiz_id: session.quiz_id,
    quiz_name: session.quiz_name,
    version_id: session.version_id,
    version_number: 3,
    published_at: "2026-09-01T08:16:30.000Z",
  },
  "export.completed": {
    id: "exp_0198f4a2d3f57b6c8d9e0f1a2b3c4d5e",
    dataset: "responses",
    format: "csv",
    csv_style: "spreadsheet",
    headers: "keys",
    status: "completed",
    source: "api",
    filters: { from: "2026-09-01", to: "2026-09-30", quiz_id: session.quiz_id, search: null, tz: "Europe/Berlin" },
    requested_at: "2026-10-01T06:00:00.000Z",
    started_at: "2026-10-01T06:00:01.000Z",
    completed_at: "2026-10-01T06:00:09.000Z",
    expires_at: "2026-10-08T06:00:09.000Z",
    row_count: 18240,
    bytes: 5242880,
    error: null,
    urls: { self: "https://api.example.com/v1/exports/exp_0198f4a2d3f57b6c8d9e0f1a2b3c4d5e" },
    download_url: null,
    download_url_expires_at: null,
  },
  "webhook.endpoint.disabled": {
    endpoint_id: "whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
    url: "https://hooks.example.com/quiz",
    reason: "failing",
    failing_since: "2026-09-10T04:00:00.000Z",
    disabled_at: "2026-09-15T04:10:00.000Z",
  },
  ping: { endpoint_id: "whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b" },
};

/** The time of each example, which is also part of its id. */
const created: Record<EventTopic | typeof pingTopic, string> = {
  "quiz.started": session.started_at,
  "quiz.finished": completedAt,
  "quiz.abandoned": "2026-09-14T18:50:00.000Z",
  "identity.captured": "2026-09-14T18:20:00.000Z",
  "profile.created": "2026-09-14T18:20:00.000Z",
  "profile.updated": "2026-09-20T08:02:00.000Z",
  "quiz.published": "2026-09-01T08:16:30.000Z",
  "export.completed": "2026-10-01T06:00:09.000Z",
  "webhook.endpoint.disabled": "2026-09-15T04:10:00.000Z",
  ping: "2026-09-01T08:20:00.000Z",
};

export interface EventExample<Topic extends keyof Objects = keyof Objects> {
  id: string;
  type: Topic;
  created: string;
  api_version: typeof apiVersion;
  data: { object: Objects[Topic] };
}

const exampleOf = <Topic extends keyof Objects>(topic: Topic, place: number): EventExample<Topic> => ({
  id: `evt_0198f2c4e5f470718b9c0d1e2f3a4b${place.toString(16).padStart(2, "0")}`,
  type: topic,
  created: created[topic],
  api_version: apiVersion,
  data: { object: objects[topic] },
});

export const eventExamples: EventExample[] = (Object.keys(objects) as (keyof Objects)[]).map((topic, place) =>
  exampleOf(topic, place),
);
