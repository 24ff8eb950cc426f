import {
  type AnswerSaved,
  eventShapes,
  type PageEntered,
  type ProductsShown,
  type ReportedSession,
  type ShopperEvent,
  type ShopperEventType,
} from "../../contract/storefront.ts";
import { bounds } from "../../engine/document.ts";
import { newValidator } from "../platform/http/shapes.ts";
import { isTimeZone } from "../platform/time-zones.ts";
import type { IncomingBatch } from "../sessions/public.ts";

/**
 * Checks each event of a request separately [storefront.bad-events, storefront.texts], and reduces it to the fields
 * that are stored [storefront.event-types]. Unknown fields are dropped; texts lose what PostgreSQL cannot store.
 */

const validator = newValidator({ firstError: true });
const checks = new Map(Object.entries(eventShapes).map(([type, shape]) => [type, validator.compile(shape)]));
const isId = validator.compile(eventShapes.quiz_opened.properties.id);

export function readEvent(raw: unknown): IncomingBatch["events"][number] {
  const { id, type } = typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>) : {};
  const known = typeof id === "string" && isId(id) ? id : null;
  const check = typeof type === "string" ? checks.get(type) : undefined;
  // a malformed id is not echoed
  if (check === undefined) return { refused: typeof type === "string" ? "unknown_type" : "invalid", id: known };
  if (!check(raw)) return { refused: "invalid", id: known };
  const event = raw as ShopperEvent;
  const kept = { id: event.id, seq: event.seq, at: event.at, ...fieldsOf(event) };
  return { refused: null, event: kept as ShopperEvent };
}

/**
 * The stored fields of a request's session: others would take up memory as long as the request waits
 * [storefront.memory].
 */
export function readSession({ utm, client_hints: hints, ...session }: ReportedSession): ReportedSession {
  return {
    id: session.id,
    visitor_id: session.visitor_id,
    quiz_id: session.quiz_id,
    version_id: session.version_id,
    channel: session.channel,
    placement: session.placement ?? null,
    page_url: session.page_url ?? null,
    referrer: session.referrer ?? null,
    preview: session.preview ?? null,
    locale: session.locale == null ? null : languageTag(session.locale),
    time_zone: session.time_zone != null && isTimeZone(session.time_zone) ? session.time_zone : null,
    utm: utm ? picked(utm, ["source", "medium", "campaign", "content", "term"]) : null,
    client_hints: hints ? picked(hints, ["platform", "platform_version", "model", "mobile"]) : null,
  };
}

/** The language tag in its usual spelling; null if it is none, or longer than a program has to support [sessions.locale]. */
function languageTag(text: string): string | null {
  if (text.length > bounds.locale) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/** Those of the named fields that have a value. */
function picked<Fields extends object>(fields: Fields, names: readonly (keyof Fields)[]): Fields {
  const kept: Partial<Fields> = {};
  for (const name of names) if (fields[name] != null) kept[name] = fields[name];
  return kept as Fields;
}

function fieldsOf(event: ShopperEvent): { type: ShopperEventType } {
  const { type } = event;
  switch (type) {
    case "page_entered":
      return pageEntered(event);
    case "answer_saved":
      return answerSaved(event);
    case "products_shown":
      return productsShown(event);
    case "product_added": {
      const { quantity } = event;
      return given({ type, product_id: held(event.product_id), variant_id: heldOrNot(event.variant_id), quantity });
    }
    case "quiz_finished":
      return given({ type, page_key: held(event.page_key) });
    case "quiz_restarted":
      return given({ type, next_session_id: event.next_session_id });
    case "quiz_opened":
    case "quiz_closed":
      return { type };
  }
}

function pageEntered({ type, page_key, cause, jump_rule_key, hidden_page_keys }: PageEntered) {
  const hidden = hidden_page_keys && hidden_page_keys.length > 0 ? [...new Set(hidden_page_keys.map(held))] : undefined;
  const rule = heldOrNot(jump_rule_key);
  return given({ type, page_key: held(page_key), cause, jump_rule_key: rule, hidden_page_keys: hidden });
}

function answerSaved({ type, page_key, component_key, option_ids, other_text, value, consent }: AnswerSaved) {
  return given({
    type,
    page_key: held(page_key),
    component_key: held(component_key),
    // null clears an answer, and must stay distinct from a field that was not sent
    option_ids: option_ids?.map(held) ?? option_ids,
    other_text: heldOrNot(other_text),
    value: heldValue(value),
    consent,
  });
}

function heldValue(value: AnswerSaved["value"]): AnswerSaved["value"] {
  if (typeof value === "string") return held(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return null;
  return { date: value.date, ...(value.time === undefined ? {} : { time: value.time && held(value.time) }) };
}

function productsShown({ type, page_key, block_key, products, rule_keys }: ProductsShown) {
  return given({
    type,
    page_key: held(page_key),
    block_key: held(block_key),
    products: products.map(({ product_id, variant_id, position, source }) => {
      return given({
        product_id: held(product_id),
        variant_id: heldOrNot(variant_id),
        position: position ?? undefined,
        source: heldOrNot(source),
      });
    }),
    rule_keys: rule_keys ? [...new Set(rule_keys.map(held))] : undefined,
  });
}

/**
 * Removes NULs and lone surrogates, which PostgreSQL cannot store. Nearly every text is valid already, which is quick
 * to check.
 */
function held(text: string): string {
  const sound = text.includes("\u0000") ? text.replaceAll("\u0000", "") : text;
  return sound.isWellFormed() ? sound : sound.toWellFormed();
}

const heldOrNot = (text: string | null | undefined): string | undefined => (text == null ? undefined : held(text));

/**
 * Omits undefined fields, so that they do not travel to the database and back. Copies the object if there are any:
 * deleting a field would make it take eight times the memory.
 */
function given<Fields extends object>(fields: Fields): Fields {
  const kept: Partial<Fields> = {};
  let complete = true;
  for (const name in fields) {
    if (fields[name] === undefined) complete = false;
    else kept[name] = fields[name];
  }
  return complete ? fields : (kept as Fields);
}
