import { type Static, Type } from "typebox";
import { nullable } from "./common.ts";

/**
 * The body of `POST /storefront/v1/events` from a shopper's browser. It comes from third-party pages, so every string
 * and array has a bound. Unknown fields of an event are ignored, not refused, because old embeds stay in use after a
 * release.
 */

/** Page, component, block, option, rule and dimension keys. */
const key = () => Type.String({ minLength: 1, maxLength: 200 });
const text = (maxLength: number) => Type.String({ maxLength });
const sequence = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

export const maxEventsPerBatch = 100;
/**
 * Maximum size of a request's body [storefront.body-size]. A hundred of the largest events that a page of a real quiz
 * sends need half of it.
 */
export const maxBatchBytes = 256 * 1024;
/**
 * Maximum number of fields of all objects in a request: enough for a hundred events and the thousand products that a
 * session may be shown.
 */
export const maxBatchFields = 8_000;
/** entries of all lists and objects together: 50 events with 200 chosen options each have a third of that */
export const maxBatchValues = 30_000;
/**
 * For a live session. Ten times what the longest quiz of the demo produces, and few enough that a session can be
 * recomputed from all of its events in some milliseconds.
 */
export const maxEventsPerSession = 300;
/** Maximum bytes of a live session's stored events: a session is sometimes read as a whole. */
export const maxSessionBytes = 256 * 1024;
/** Distinct products (block, product, variant) that a session may have been shown; each is stored in its row. */
export const maxShownProducts = 1_000;
/**
 * The maximum age of live events, in ms: what a phone collected offline over a weekend still counts
 * [storefront.old-events].
 */
export const maxEventAgeMs = 72 * 3_600_000;
/** Imported sessions are not bound by a live session's limits, but by what can be computed at once. */
export const maxImportedEventsPerSession = 2_000;
export const maxImportedShownProducts = 10_000;
/** Longest text answer that is stored, in characters. */
export const maxAnswerLength = 10_000;

const eventBase = {
  id: Type.String({ pattern: "^evt_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$" }),
  seq: sequence,
  at: Type.String({ format: "date-time" }),
};

export const enterCauses = ["start", "next", "jump", "skip", "back", "restart"] as const;
export type EnterCause = (typeof enterCauses)[number];

export const quizOpened = Type.Object({ ...eventBase, type: Type.Literal("quiz_opened") });
export const pageEntered = Type.Object({
  ...eventBase,
  type: Type.Literal("page_entered"),
  page_key: key(),
  cause: Type.Enum([...enterCauses]),
  jump_rule_key: Type.Optional(nullable(key())),
  hidden_page_keys: Type.Optional(nullable(Type.Array(key(), { maxItems: 500 }))),
});

export const dateValue = Type.Object({
  date: Type.String({ format: "date" }),
  time: Type.Optional(nullable(text(20))),
});
export const answerSaved = Type.Object({
  ...eventBase,
  type: Type.Literal("answer_saved"),
  page_key: key(),
  component_key: key(),
  option_ids: Type.Optional(nullable(Type.Array(key(), { maxItems: 200 }))),
  /** an empty list clears the answer, like null */
  value: Type.Optional(
    nullable(
      Type.Union([text(maxAnswerLength), Type.Number(), dateValue, Type.Array(Type.Unknown(), { maxItems: 0 })]),
    ),
  ),
  /** what was written beside the option with a text field, at most 200 characters */
  other_text: Type.Optional(nullable(text(maxAnswerLength))),
  consent: Type.Optional(nullable(Type.Boolean())),
});

export const productShown = Type.Object({
  product_id: key(),
  variant_id: Type.Optional(nullable(key())),
  position: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 100_000 }))),
  source: Type.Optional(nullable(text(50))),
});
export const productsShown = Type.Object({
  ...eventBase,
  type: Type.Literal("products_shown"),
  page_key: key(),
  block_key: key(),
  products: Type.Array(productShown, { maxItems: 250 }),
  rule_keys: Type.Optional(nullable(Type.Array(key(), { maxItems: 250 }))),
});
export const productAdded = Type.Object({
  ...eventBase,
  type: Type.Literal("product_added"),
  product_id: key(),
  variant_id: Type.Optional(nullable(key())),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
});
export const quizFinished = Type.Object({ ...eventBase, type: Type.Literal("quiz_finished"), page_key: key() });
export const quizClosed = Type.Object({ ...eventBase, type: Type.Literal("quiz_closed") });
export const quizRestarted = Type.Object({
  ...eventBase,
  type: Type.Literal("quiz_restarted"),
  next_session_id: Type.String({ pattern: "^sess_[0-9a-f]{32}$" }),
});

export const eventShapes = {
  quiz_opened: quizOpened,
  page_entered: pageEntered,
  answer_saved: answerSaved,
  products_shown: productsShown,
  product_added: productAdded,
  quiz_finished: quizFinished,
  quiz_closed: quizClosed,
  quiz_restarted: quizRestarted,
} as const;

export type QuizOpened = Static<typeof quizOpened>;
export type PageEntered = Static<typeof pageEntered>;
export type AnswerSaved = Static<typeof answerSaved>;
export type ProductsShown = Static<typeof productsShown>;
export type ProductAdded = Static<typeof productAdded>;
export type QuizFinished = Static<typeof quizFinished>;
export type QuizClosed = Static<typeof quizClosed>;
export type QuizRestarted = Static<typeof quizRestarted>;
export type ShopperEvent =
  | QuizOpened
  | PageEntered
  | AnswerSaved
  | ProductsShown
  | ProductAdded
  | QuizFinished
  | QuizClosed
  | QuizRestarted;
export type ShopperEventType = ShopperEvent["type"];

const optionalText = (maxLength: number) => Type.Optional(nullable(text(maxLength)));
export const utmShape = Type.Object({
  source: optionalText(500),
  medium: optionalText(500),
  campaign: optionalText(500),
  content: optionalText(500),
  term: optionalText(500),
});

/** Any text: a key without a store, including a malformed one, is answered as unknown. */
export const publishableKey = Type.String({ minLength: 1, maxLength: 100 });

export const sessionShape = Type.Object({
  id: Type.String({ pattern: "^sess_[0-9a-f]{32}$" }),
  visitor_id: Type.String({ pattern: "^vis_[0-9a-f]{32}$" }),
  quiz_id: Type.String({ pattern: "^quiz_[0-9a-f]{32}$" }),
  version_id: Type.String({ pattern: "^ver_[0-9a-f]{32}$" }),
  channel: Type.String({ pattern: "^[a-z0-9_]{1,32}$" }),
  placement: optionalText(200),
  page_url: optionalText(4000),
  referrer: optionalText(4000),
  utm: Type.Optional(nullable(utmShape)),
  preview: Type.Optional(nullable(Type.Boolean())),
  /** a BCP 47 language tag of at most 35 characters, and an IANA name; anything else is dropped, as browsers err */
  locale: optionalText(1000),
  time_zone: optionalText(1000),
  client_hints: Type.Optional(
    nullable(
      Type.Object({
        platform: optionalText(100),
        platform_version: optionalText(100),
        model: optionalText(200),
        mobile: Type.Optional(nullable(Type.Boolean())),
        /** how many fingers the screen can tell apart, as `navigator.maxTouchPoints` */
        touch_points: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000 }))),
      }),
    ),
  ),
});
export type ReportedSession = Static<typeof sessionShape>;

/**
 * The batch without its events, which are checked one by one against `eventShapes`, so that a bad one never spoils its
 * batch.
 */
export const batchShape = Type.Object({
  store: publishableKey,
  sent_at: Type.String({ format: "date-time" }),
  session: sessionShape,
  events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: maxEventsPerBatch }),
});
export type EventBatch = Static<typeof batchShape>;

/** Why an event was refused; stable codes for embeds. */
export const rejectReasons = [
  "invalid",
  "unknown_type",
  "unknown_page",
  "unknown_component",
  "unknown_option",
  "unknown_block",
  "invalid_value",
  "incomplete",
  "timed_out",
  "too_many_events",
  "session_too_large",
  "too_many_products",
  "unknown_product",
  "too_old",
] as const;
export type RejectReason = (typeof rejectReasons)[number];

export const batchAnswer = Type.Object({
  accepted: Type.Integer({ minimum: 0 }),
  duplicates: Type.Integer({ minimum: 0 }),
  /** `id` is null if the event's own is malformed: input is never echoed */
  rejected: Type.Array(Type.Object({ id: nullable(Type.String()), reason: Type.Enum([...rejectReasons]) })),
});
export type BatchAnswer = Static<typeof batchAnswer>;
