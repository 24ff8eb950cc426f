import { type Static, Type } from "typebox";
import { count, date, dateTime, described, id, money, nullable, oneOf, page, pageQuery } from "./common.ts";
import { operation } from "./operation.ts";

/** People in lists and in detail; docs/rules/people.md [people.access]. */

export const maxQueryLength = 200;

export const profileSummary = Type.Object(
  {
    id: id("prof"),
    email: nullable(Type.String()),
    phone: nullable(Type.String({ description: "E.164" })),
    first_seen_at: nullable(dateTime()),
    last_seen_at: nullable(dateTime()),
    last_order_at: nullable(dateTime()),
    completed_count: count("Sessions finished"),
    orders_count: count(),
    sessions_count: count(),
    quizzes: Type.Array(Type.Object({ id: id("quiz"), name: Type.String() })),
    removed: Type.Boolean(),
    returning: Type.Boolean({ description: "Came on at least two separate visits" }),
    spent: money,
  },
  { title: "ProfileSummary" },
);
export type ProfileSummary = Static<typeof profileSummary>;

const identity = Type.Object({
  kind: oneOf(["email", "phone"]),
  value: Type.String(),
  consent: nullable(
    Type.Boolean({ description: "The checkbox beside the newest answered field of this kind; null without one" }),
  ),
  first_seen_at: nullable(dateTime()),
  last_seen_at: nullable(dateTime()),
});

export const answerKinds = ["choice", "image", "text", "email", "phone", "number", "date", "other"] as const;

const answer = Type.Object(
  {
    component_key: Type.String(),
    page_key: Type.String(),
    question: Type.String(),
    page_title: nullable(Type.String()),
    kind: oneOf(answerKinds),
    value: Type.Unknown({ description: "As stored: option ids, a string, a number or {date, time}" }),
    values: Type.Array(Type.String(), { description: "What a person reads" }),
    other_text: Type.Optional(
      Type.String({
        description: "What was written beside the option with a text field; of choice and image questions",
      }),
    ),
    image_urls: Type.Array(nullable(Type.String()), {
      description: "For an image choice one entry per label in values, else empty",
    }),
    removed: Type.Boolean({ description: "The question is not in the quiz's present version" }),
  },
  { title: "Answer" },
);
export type AnswerBody = Static<typeof answer>;

export const pointsEntry = Type.Object(
  { dimension_id: Type.String(), name: Type.String(), total: Type.Number() },
  { title: "PointsEntry" },
);

export const shownProduct = Type.Object(
  {
    block_key: Type.String(),
    product_id: Type.String(),
    currency: nullable(Type.String()),
    handle: nullable(Type.String()),
    image: nullable(Type.String()),
    title: nullable(Type.String()),
    variant_id: nullable(Type.String()),
    variant_title: nullable(Type.String()),
    price: nullable(Type.Number()),
  },
  { title: "ShownProduct" },
);
export type ShownProduct = Static<typeof shownProduct>;

/** A finish's result, as payloads, files and figures name it [people.outcome]. */
export const outcome = Type.Object(
  {
    page_key: Type.String(),
    dimension_id: nullable(Type.String({ description: "The dimension whose result the page shows" })),
    name: Type.String({ description: "The dimension's, else the page's title" }),
  },
  { title: "Outcome" },
);
export type Outcome = Static<typeof outcome>;

export const resultPage = Type.Object(
  {
    page_key: Type.String(),
    title: nullable(Type.String()),
    position: nullable(Type.Integer()),
    page_count: nullable(Type.Integer()),
    shown_products: Type.Array(shownProduct),
    outcome: nullable(outcome),
  },
  { title: "ResultPage" },
);

const latestResult = Type.Object(
  {
    quiz_id: id("quiz"),
    quiz_name: Type.String(),
    session_id: id("sess"),
    started_at: dateTime(),
    completed_at: dateTime(),
    version_number: nullable(Type.Integer()),
    answers: Type.Array(answer),
    formulas: Type.Array(
      Type.Object({
        component_key: Type.String(),
        page_key: Type.String(),
        label: Type.String(),
        value: Type.Number(),
      }),
    ),
    points: Type.Array(pointsEntry),
    points_total: nullable(Type.Number()),
    winner: nullable(pointsEntry),
    result_page: nullable(resultPage),
    outcome: nullable(outcome),
  },
  { title: "LatestResult" },
);
export type LatestResult = Static<typeof latestResult>;

const orderFields = {
  order_id: Type.String(),
  order_name: nullable(Type.String()),
  amount: money,
  created_at: dateTime(),
  matched_tier: Type.String(),
};

const profileOrder = Type.Object(
  {
    ...orderFields,
    quiz_id: nullable(id("quiz")),
    quiz_name: nullable(Type.String()),
    session_id: nullable(id("sess")),
  },
  { title: "ProfileOrder" },
);

const profileSession = Type.Object(
  {
    session_id: id("sess"),
    quiz_id: id("quiz"),
    quiz_name: Type.String(),
    started_at: described("The first answer; before one, the opening", dateTime()),
    channel: Type.String(),
    device_class: Type.String(),
    status: oneOf(["completed", "in_progress", "left"]),
    completed_at: nullable(dateTime()),
    ended_at: nullable(dateTime()),
    country: nullable(Type.String()),
    last_page_key: nullable(Type.String()),
    last_page_title: nullable(Type.String()),
    last_page_position: nullable(Type.Integer()),
    page_count: nullable(Type.Integer()),
    version_number: nullable(Type.Integer()),
    pages_visited: count("Distinct pages"),
    returning: nullable(Type.Boolean()),
    order: nullable(
      Type.Object({ ...orderFields, minutes_after: nullable(Type.Integer({ description: "Whole minutes" })) }),
    ),
  },
  { title: "ProfileSession" },
);
export type ProfileSession = Static<typeof profileSession>;

export const profileDetail = Type.Object(
  {
    id: id("prof"),
    first_seen_at: nullable(dateTime()),
    last_seen_at: dateTime(),
    last_order_at: nullable(dateTime()),
    completed_count: count(),
    orders_count: count(),
    quizzes_taken_count: count(),
    sessions_count: count(),
    removed: Type.Boolean(),
    removed_at: nullable(dateTime()),
    returning: nullable(Type.Boolean()),
    returning_count: nullable(Type.Integer({ description: "Visits after the first" })),
    spent: nullable(money),
    identities: Type.Array(identity),
    latest_results: Type.Array(latestResult, { description: "The newest finished take of each quiz" }),
    orders: Type.Array(profileOrder),
    sessions: Type.Array(profileSession),
    truncated: Type.Boolean({
      description: "Whether there are older sessions or orders than the 1,000 newest of each that are listed",
    }),
  },
  { title: "Profile" },
);
export type ProfileDetail = Static<typeof profileDetail>;

const flag = () => Type.Optional(Type.Boolean());
const profileId = "prof_0198f3d1c2e47a5b8c9d0e1f2a3b4c5d";
const quizId = "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f";
const sessionId = "sess_4f6b0d8a2c1e4b7f9a3d5c7e9b1f2d4a";
const tag = "People" as const;

export const listProfiles = operation({
  id: "listProfiles",
  method: "GET",
  path: "/v1/profiles",
  tag,
  summary: "List people, last seen first",
  description:
    "from, to and quiz_id keep people with one session that meets all three. Days are in UTC. Removed people are in no list.",
  scope: "profiles:read",
  cost: "read",
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxQueryLength,
        description: "Part of an email or phone; case is ignored",
      }),
    ),
    from: Type.Optional(date("First day on which the person started a session, in UTC")),
    to: Type.Optional(date("Last such day, in UTC")),
    quiz_id: Type.Optional(id("quiz")),
    has_email: flag(),
    has_phone: flag(),
    has_order: flag(),
    has_marketing_consent: flag(),
    is_returning: flag(),
  }),
  answer: {
    status: 200,
    shape: page(profileSummary),
    example: {
      data: [
        {
          id: profileId,
          email: "ada@example.com",
          phone: null,
          first_seen_at: "2026-09-02T09:00:00.000Z",
          last_seen_at: "2026-09-14T18:21:07.000Z",
          last_order_at: null,
          completed_count: 1,
          orders_count: 0,
          sessions_count: 2,
          quizzes: [{ id: quizId, name: "Find your routine" }],
          removed: false,
          returning: true,
          spent: { amount: "0.00", currency: "USD" },
        },
      ],
      has_more: false,
      next_cursor: null,
    },
  },
});

export const getProfile = operation({
  id: "getProfile",
  method: "GET",
  path: "/v1/profiles/{profile_id}",
  tag,
  summary: "Read a person",
  description:
    "Contacts, the newest result of each quiz, sessions and linked orders, newest first. At most the 1,000 newest sessions and orders are listed, and truncated tells that there are more; the counts are of all. Questions, options and pages are called as the newest version that has them calls them.",
  scope: "profiles:read",
  cost: "read",
  params: Type.Object({ profile_id: id("prof") }),
  answer: {
    status: 200,
    shape: profileDetail,
    example: {
      id: profileId,
      first_seen_at: "2026-09-02T09:00:00.000Z",
      last_seen_at: "2026-09-14T18:21:07.000Z",
      last_order_at: null,
      completed_count: 1,
      orders_count: 0,
      quizzes_taken_count: 1,
      sessions_count: 1,
      removed: false,
      removed_at: null,
      returning: false,
      returning_count: 0,
      spent: { amount: "0.00", currency: "USD" },
      identities: [
        {
          kind: "email",
          value: "ada@example.com",
          consent: true,
          first_seen_at: "2026-09-02T09:03:00.000Z",
          last_seen_at: "2026-09-14T18:20:00.000Z",
        },
      ],
      latest_results: [
        {
          quiz_id: quizId,
          quiz_name: "Find your routine",
          session_id: sessionId,
          started_at: "2026-09-14T18:18:00.000Z",
          completed_at: "2026-09-14T18:21:07.000Z",
          version_number: 3,
          answers: [
            {
              component_key: "skin_type",
              page_key: "skin",
              question: "How does your skin feel by noon?",
              page_title: "Your skin",
              kind: "choice",
              value: ["dry"],
              values: ["Tight and dry"],
              image_urls: [],
              removed: false,
            },
          ],
          formulas: [{ component_key: "steps", page_key: "result", label: "Steps a day", value: 3 }],
          points: [{ dimension_id: "hydrate", name: "Hydration", total: 5 }],
          points_total: 5,
          winner: { dimension_id: "hydrate", name: "Hydration", total: 5 },
          result_page: {
            page_key: "result",
            title: "Your routine",
            position: 8,
            page_count: 8,
            shown_products: [],
            outcome: { page_key: "result", dimension_id: "hydrate", name: "Hydration" },
          },
          outcome: { page_key: "result", dimension_id: "hydrate", name: "Hydration" },
        },
      ],
      orders: [],
      sessions: [
        {
          session_id: sessionId,
          quiz_id: quizId,
          quiz_name: "Find your routine",
          started_at: "2026-09-14T18:18:00.000Z",
          channel: "online_store",
          device_class: "mobile",
          status: "completed",
          completed_at: "2026-09-14T18:21:07.000Z",
          ended_at: "2026-09-14T18:21:07.000Z",
          country: "US",
          last_page_key: "result",
          last_page_title: "Your routine",
          last_page_position: 8,
          page_count: 8,
          version_number: 3,
          pages_visited: 8,
          returning: false,
          order: null,
        },
      ],
      truncated: false,
    },
  },
});

export const profileOperations = [listProfiles, getProfile] as const;
