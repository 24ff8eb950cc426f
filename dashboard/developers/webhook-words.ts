import type { FeedEntry } from "../../contract/event-feed.ts";
import type { EventTopic } from "../../contract/events.ts";
import type { Delivery, WebhookEndpoint } from "../../contract/webhooks.ts";

/** Labels for endpoints, events and the results of deliveries. */

export const topicWords: Record<EventTopic, string> = {
  "quiz.started": "A shopper gives the first answer",
  "quiz.finished": "A shopper finishes a quiz",
  "quiz.abandoned": "A shopper leaves a quiz for half an hour",
  "identity.captured": "A shopper leaves an email or phone number (holds the contact)",
  "profile.created": "Somebody new leaves a contact",
  "profile.updated": "A known person adds or changes a contact",
  "quiz.published": "A version of a quiz goes live",
  "export.completed": "A file is ready",
  "webhook.endpoint.disabled": "Another endpoint was switched off",
};

/** In the order of the contract. */
export const eventTopics = Object.keys(topicWords) as EventTopic[];

/** The topic whose events hold contacts. */
export const contactTopic = "identity.captured" satisfies EventTopic;

export const deliveryStatuses = ["pending", "retrying", "delivering", "delivered", "dead"] as const;
export type DeliveryStatus = Delivery["status"];

export const deliveryWords: Record<DeliveryStatus, { label: string; color: string }> = {
  pending: { label: "Waiting", color: "gray" },
  retrying: { label: "Will be retried", color: "yellow" },
  delivering: { label: "Sending", color: "blue" },
  delivered: { label: "Delivered", color: "green" },
  dead: { label: "Failed", color: "red" },
};

/** The sender gives up after this many attempts [webhooks.schedule]. */
export const mostAttempts = 8;

/** Whether it is being sent, or will be. */
export const isUnderWay = ({ status }: Pick<Delivery, "status">): boolean =>
  status === "pending" || status === "delivering" || status === "retrying";

/** An event without deliveries either has none, or is younger than this (ms) and may not have been fanned out yet. */
const handedOverMs = 60_000;

/** Whether the state of an event's deliveries may still change. */
export const isMoving = ({ created, deliveries }: Pick<FeedEntry, "created" | "deliveries">, now: number): boolean =>
  deliveries.length === 0 ? now - Date.parse(created) < handedOverMs : deliveries.some(isUnderWay);

/** When the next attempt is; null: there is none. */
export const nextTry = ({ status, next_attempt_at }: Pick<Delivery, "status" | "next_attempt_at">): string | null =>
  status === "pending" || status === "retrying" ? next_attempt_at : null;

/** A short text for the receiver's last response. */
export function outcomeWords({ last_status_code: code, last_error: error, attempts }: Delivery): string {
  if (error !== null) return error;
  if (code !== null) return `The receiver answered ${code}`;
  return attempts === 0 ? "Not sent yet" : "No answer yet";
}

/** A delivery that was sent or is waiting may be sent again; not while it is being sent. */
export const canSendAgain = ({ status }: Pick<Delivery, "status">): boolean =>
  status === "delivered" || status === "dead" || status === "retrying";

export interface Health {
  word: "Healthy" | "Failing" | "Disabled" | "Nothing sent yet";
  color: string;
  sentence: string;
}

interface DayFigures {
  delivered: number;
  failed: number;
  waiting: number;
}

const disabledReasons: Record<NonNullable<WebhookEndpoint["disabled_reason"]>, string> = {
  failing: "It was switched off after five days of failures. Mend the receiver, then enable it again.",
  gone: "It was switched off because the receiver answered 410 Gone. Enable it again if that was a mistake.",
  manual: "It was switched off by hand. Nothing is sent to it.",
};

/**
 * An endpoint's health: its own state first, then the results of the last day's deliveries
 * [dashboard-developers.health].
 */
export function healthOf(
  endpoint: Pick<WebhookEndpoint, "status" | "disabled_reason" | "failing_since">,
  day: DayFigures | null,
): Health {
  if (endpoint.status === "disabled") {
    const sentence = disabledReasons[endpoint.disabled_reason ?? "manual"];
    return { word: "Disabled", color: "red", sentence };
  }
  if (endpoint.failing_since !== null) {
    return {
      word: "Failing",
      color: "yellow",
      sentence: "What was sent last did not arrive. It is tried again by itself, and switched off after five days.",
    };
  }
  if (day === null) return { word: "Healthy", color: "green", sentence: "What was sent last arrived." };
  if (day.delivered + day.failed + day.waiting === 0)
    return {
      word: "Nothing sent yet",
      color: "gray",
      sentence: "Nothing was sent in the last 24 hours. Send a ping to try it.",
    };
  const lost = day.failed > 0 ? `, ${day.failed} failed for good` : "";
  return { word: "Healthy", color: "green", sentence: `${day.delivered} arrived in the last 24 hours${lost}.` };
}

/** An endpoint's settings as the form holds them. */
export interface EndpointForm {
  url: string;
  topics: EventTopic[];
  include_pii: boolean;
  /** empty: every quiz */
  quiz_ids: string[];
  description: string;
}

export const emptyEndpoint: EndpointForm = {
  url: "",
  topics: ["quiz.finished"],
  include_pii: false,
  quiz_ids: [],
  description: "",
};

export const formOf = (endpoint: WebhookEndpoint): EndpointForm => ({
  url: endpoint.url,
  topics: [...endpoint.topics],
  include_pii: endpoint.include_pii,
  quiz_ids: [...(endpoint.quiz_ids ?? [])],
  description: endpoint.description ?? "",
});

export const bodyOf = (form: EndpointForm) => ({
  url: form.url.trim(),
  topics: eventTopics.filter((topic) => form.topics.includes(topic)),
  include_pii: form.include_pii,
  quiz_ids: form.quiz_ids.length === 0 ? null : form.quiz_ids,
  description: form.description.trim() === "" ? null : form.description.trim(),
});

/** The request body for a change: only changed fields, because somebody else may have changed the others meanwhile. */
export function changesOf(before: EndpointForm, after: EndpointForm): Partial<ReturnType<typeof bodyOf>> {
  const old: Readonly<Record<string, unknown>> = bodyOf(before);
  const changed = Object.entries(bodyOf(after)).filter(([name, value]) => !same(value, old[name]));
  return Object.fromEntries(changed);
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Missing input, by field; whether the address is valid is for the API to decide. */
export function formProblems(form: EndpointForm): Partial<Record<keyof EndpointForm, string>> {
  const { url, topics, include_pii } = form;
  return {
    ...(url.trim() === "" ? { url: "Type the address that events are sent to" } : {}),
    ...(topics.length === 0 ? { topics: "Choose at least one event" } : {}),
    ...(topics.includes(contactTopic) && !include_pii
      ? { include_pii: `${contactTopic} holds contacts: allow them, or take it away` }
      : {}),
  };
}
