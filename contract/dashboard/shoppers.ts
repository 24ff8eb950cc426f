import { type Static, Type } from "typebox";
import { count, dateTime, id, money, nullable, oneOf, page, pageQuery } from "../common.ts";
import { operation } from "../operation.ts";

/** A person: their timeline, the data stored about them, and their erasure. */

export const timelineKinds = ["opened", "page", "answered", "shown", "added", "finished", "left", "order"] as const;

const shownProduct = Type.Object(
  {
    product_id: Type.String(),
    variant_id: nullable(Type.String()),
    title: nullable(Type.String({ description: "null: the catalog does not know it" })),
    variant_title: nullable(Type.String()),
    image: nullable(Type.String()),
    price: nullable(money),
    quantity: nullable(Type.Integer({ description: "Of products that were added" })),
  },
  { title: "TimelineProduct" },
);

const entry = Type.Object(
  {
    id: Type.String({ description: "Tells the entries of this list apart" }),
    at: dateTime(),
    kind: oneOf(timelineKinds),
    session_id: nullable(id("sess")),
    quiz_id: nullable(id("quiz")),
    quiz_name: nullable(Type.String()),
    page_key: nullable(Type.String()),
    page_title: nullable(Type.String()),
    cause: nullable(Type.String({ description: "How the page was come to: start, next, jump, skip, back, restart" })),
    question: nullable(Type.String()),
    values: nullable(Type.Array(Type.String(), { description: "The answer in words; empty: cleared" })),
    erased: Type.Boolean({ description: "The answer's content was erased" }),
    products: Type.Array(shownProduct),
    order: nullable(Type.Object({ order_id: Type.String(), order_name: nullable(Type.String()), amount: money })),
  },
  { title: "TimelineEntry" },
);
export type TimelineEntry = Static<typeof entry>;

const example: TimelineEntry = {
  id: "evt_0198f2c4e5f470718b9c0d1e2f3a4b5c",
  at: "2026-09-14T18:19:12.000Z",
  kind: "answered",
  session_id: "sess_4f6b0d8a2c1e4b7f9a3d5c7e9b1f2d4a",
  quiz_id: "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
  quiz_name: "Find your routine",
  page_key: "skin",
  page_title: "Your skin",
  cause: null,
  question: "How does your skin feel by noon?",
  values: ["Tight and dry"],
  erased: false,
  products: [],
  order: null,
};

const params = Type.Object({ profile_id: id("prof") });
const reading = {
  tag: "Shoppers",
  scope: "profiles:read",
  params,
  cost: "read",
  method: "GET",
  access: { to: "member", role: "owner" },
} as const;

export const getProfileTimeline = operation({
  ...reading,
  id: "getProfileTimeline",
  path: "/dashboard/api/profiles/{profile_id}/timeline",
  summary: "List what a person did, newest first",
  description:
    "Visits with their pages and answers, products shown and added, and orders. `limit` counts sessions and orders; each session is told as a whole.",
  query: Type.Object({
    cursor: pageQuery.cursor,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: 10, description: "Sessions and orders a page" }),
    ),
  }),
  answer: { status: 200, shape: page(entry), example: { data: [example], has_more: false, next_cursor: null } },
});

const extent = Type.Object(
  {
    sessions: count("Whose free texts and contacts go; they stay counted"),
    contacts: count("Email addresses and phone numbers"),
    answers: count("Answers that say something of their own: texts, emails, phones"),
    orders: count("Orders whose contacts go"),
    deliveries: count("Kept webhook payloads that are rewritten"),
    exports: count("Files of people or responses that go at once"),
  },
  { title: "ErasureExtent" },
);

export const previewErasure = operation({
  ...reading,
  id: "previewErasure",
  path: "/dashboard/api/profiles/{profile_id}/erasure",
  summary: "Count what erasing a person would take away",
  answer: {
    status: 200,
    shape: extent,
    example: { sessions: 2, contacts: 1, answers: 3, orders: 1, deliveries: 4, exports: 0 },
  },
});

export const eraseProfile = operation({
  ...reading,
  id: "eraseProfile",
  method: "POST",
  path: "/dashboard/api/profiles/{profile_id}/erase",
  access: { to: "member", role: "owner", confirmed: true },
  summary: "Erase a person",
  description:
    "Contacts and free texts go wherever they are, and cannot be brought back; what is counted stays counted.",
  cost: "write",
  answer: {
    status: 200,
    shape: Type.Object({ profile_id: id("prof"), erased_at: dateTime(), sessions: count() }),
    example: {
      profile_id: "prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d",
      erased_at: "2026-09-20T10:00:00.000Z",
      sessions: 2,
    },
  },
});

const storedRows = Type.Record(Type.String(), Type.Array(Type.Unknown()));

export const getProfileData = operation({
  ...reading,
  id: "getProfileData",
  path: "/dashboard/api/profiles/{profile_id}/data",
  access: { to: "member", role: "owner", confirmed: true },
  summary: "Read everything that is stored about a person",
  description: "For whoever asks what is known of them: rows by table, as they are kept.",
  answer: {
    status: 200,
    shape: Type.Object({
      store: Type.String(),
      profile_id: id("prof"),
      answered_at: dateTime(),
      data: storedRows,
    }),
    example: {
      store: "Lumen & Fern",
      profile_id: "prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d",
      answered_at: "2026-09-20T10:00:00.000Z",
      data: { identities: [{ kind: "email", value: "ada@example.com" }] },
    },
  },
});

const dataRequest = Type.Object(
  {
    request_id: Type.String(),
    received_at: dateTime(),
    answered_at: nullable(dateTime("null: it waits for an answer")),
  },
  { title: "DataRequest" },
);

const dataRequestExample: Static<typeof dataRequest> = {
  request_id: "0198f2c4-d4e3-7f60-8a9b-0c1d2e3f4a5b",
  received_at: "2026-09-19T10:00:00.000Z",
  answered_at: null,
};

export const listDataRequests = operation({
  id: "listDataRequests",
  method: "GET",
  path: "/dashboard/api/data-requests",
  tag: "Shoppers",
  summary: "List customers' requests for their data that the commerce platform passed on, newest first",
  scope: "profiles:read",
  access: { to: "member", role: "owner" },
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({ data: Type.Array(dataRequest) }),
    example: {
      data: [dataRequestExample],
    },
  },
});

const ofRequest = {
  tag: "Shoppers",
  scope: "profiles:read",
  access: { to: "member", role: "owner", confirmed: true },
  params: Type.Object({ request_id: Type.String() }),
} as const;

export const getRequestedData = operation({
  ...ofRequest,
  id: "getRequestedData",
  method: "GET",
  path: "/dashboard/api/data-requests/{request_id}/data",
  summary: "Read everything that is stored about the customer of a request that waits",
  description: "Rows by table, as they are kept. The request waits until it is closed.",
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({
      store: Type.String(),
      request_id: Type.String(),
      requested_at: dateTime(),
      answered_at: dateTime(),
      asked_for: Type.Object({
        emails: Type.Array(Type.String()),
        phones: Type.Array(Type.String()),
        order_ids: Type.Array(Type.String()),
      }),
      data: storedRows,
    }),
    example: {
      store: "Lumen & Fern",
      request_id: dataRequestExample.request_id,
      requested_at: dataRequestExample.received_at,
      answered_at: "2026-09-20T10:00:00.000Z",
      asked_for: { emails: ["ada@example.com"], phones: [], order_ids: ["gid://shopify/Order/7"] },
      data: { identities: [{ kind: "email", value: "ada@example.com" }] },
    },
  },
});

export const closeDataRequest = operation({
  ...ofRequest,
  id: "closeDataRequest",
  method: "POST",
  path: "/dashboard/api/data-requests/{request_id}/close",
  summary: "Say that a customer's request for their data was answered",
  description: "Whom it was about is forgotten, so that the data cannot be read for it again. Safe to repeat.",
  cost: "write",
  answer: {
    status: 200,
    shape: dataRequest,
    example: { ...dataRequestExample, answered_at: "2026-09-20T10:00:00.000Z" },
  },
});

export const shopperOperations = [
  getProfileTimeline,
  previewErasure,
  eraseProfile,
  getProfileData,
  listDataRequests,
  getRequestedData,
  closeDataRequest,
] as const;
