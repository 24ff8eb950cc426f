import { createHmac } from "node:crypto";
import { batchAnswer, batchShape, eventShapes } from "../contract/storefront.ts";
import type { Random } from "../demo/random.ts";
import { order, product } from "../journeys/shopify.ts";
import { newValidator } from "../server/platform/http/shapes.ts";
import type { Schema } from "./fuzz-document.ts";
import type { Known } from "./fuzz-known.ts";
import type { FuzzAnswer, Shot } from "./fuzz-shot.ts";
import { bent, hostileTexts, nested, rightValue } from "./fuzz-values.ts";

/**
 * Requests of shoppers' browsers and of the commerce platform, generated from their schemas in the contract: unlike
 * those of all other generators, they need not form a plausible way through a quiz.
 */

export interface FuzzShop {
  publishableKey: string;
  /** live `[quiz, version]` pairs */
  live: readonly (readonly [string, string])[];
}

export interface FuzzCommerce {
  domain: string;
  secret: string;
  topics: readonly string[];
}

const validator = newValidator();
const frames = validator.compile(batchShape);
const answers = validator.compile(batchAnswer);

const outside = { operation: null, key: null } as const;
const json = ["content-type", "application/json"];

/** Only a few sessions, so that their events meet. */
const sessions = 40;

function batchOf(shop: FuzzShop, random: Random, known: Known): Record<string, unknown> {
  const [quiz_id, version_id] = random.pick(shop.live);
  const number = random.int(0, sessions - 1);
  // the contract's schemas have another type, but the same form as the document's
  const session = rightValue(batchShape.properties.session as unknown as Schema, "session", random, known);
  // the same for events
  const types = Object.values(eventShapes) as unknown as Schema[];
  const length = random.chance(0.02) ? 100 : random.int(1, 6);
  const sent_at = new Date(Date.now() - random.int(0, 60_000)).toISOString();
  const event = () => {
    const made = rightValue(random.pick(types), "event", random, known) as Record<string, unknown>;
    const option_ids = made["option_ids"] ? { option_ids: [known.word(random, "option_id")] } : {};
    const at = random.chance(0.9) ? { at: new Date(Date.parse(sent_at) - random.int(0, 600_000)).toISOString() } : {};
    return { ...made, ...option_ids, ...at, seq: random.chance(0.95) ? random.int(0, 60) : made["seq"] };
  };
  const facts = {
    id: `sess_${String(number).padStart(32, "0")}`,
    visitor_id: `vis_${String(number % 9).padStart(32, "0")}`,
  };
  return {
    // according to its schema, it is an object
    ...{ store: shop.publishableKey, sent_at, session: { ...(session as object), ...facts, quiz_id, version_id } },
    events: Array.from({ length }, event),
  };
}

/** Every event is counted once: accepted, duplicate, or rejected with a reason from the contract. */
function countsFit(sent: unknown, { status, body }: FuzzAnswer): string | null {
  if (status !== 202) return null;
  if (!answers(body)) return `the answer is not of its shape: ${JSON.stringify(answers.errors)}`;
  const { accepted, duplicates, rejected } = body as {
    accepted: number;
    duplicates: number;
    rejected: { id: string | null }[];
  };
  const events = (sent as { events: { id?: unknown }[] }).events;
  if (accepted + duplicates + rejected.length !== events.length) return "the events do not add up";
  const ids = new Set(events.map((event) => event?.id));
  return rejected.every(({ id }) => id === null || ids.has(id)) ? null : "an id that was not sent is refused";
}

export function eventsShot(shop: FuzzShop, random: Random, known: Known): Shot {
  const right = batchOf(shop, random, known);
  const sent = random.chance(0.4) ? bent(right, random) : right;
  const text = JSON.stringify(sent) ?? "null";
  const type = random.pick(["application/json", "text/plain", "text/plain;charset=UTF-8", "application/xml"]);
  const broken = random.chance(0.05);
  const body = broken ? text.slice(0, Math.max(1, text.length - 1)) : text;
  const read: unknown = JSON.parse(text);
  const sound = !broken && type !== "application/xml" && frames(read);
  return {
    ...{ ...outside, label: sound ? "events" : "bent events", method: "POST", path: "/storefront/v1/events", body },
    headers: ["content-type", type, "user-agent", random.pick(["Mozilla/5.0 (iPhone)", "", "x".repeat(2_000), "é"])],
    statuses: sound ? [202, 404, 422, 429] : [422, 429],
    judge: (answer) => (sound ? countsFit(read, answer) : null),
  };
}

export function storefrontReadShot(shop: FuzzShop, random: Random, known: Known): Shot {
  const [quiz] = random.pick(shop.live);
  const ids = [quiz, known.strangers(random, "quiz"), known.nobodys(random, "quiz"), "%00", "x".repeat(300), "%zz"];
  const id = random.chance(0.5) ? quiz : random.pick(ids);
  const store = random.chance(0.7)
    ? shop.publishableKey
    : encodeURIComponent(random.pick(hostileTexts).toWellFormed().slice(0, 500));
  const path = random.chance(0.2) ? "/storefront/v1/quizzes" : `/storefront/v1/quizzes/${id}`;
  const query = random.pick([`?store=${store}`, `?store=${store}`, `?store=${store}`, `?store=${store}&odd=1`, ""]);
  const tags = random.pick<string[]>([[], [], ["if-none-match", "*"], ["if-none-match", '"a", W/"b"']]);
  return {
    ...{ ...outside, label: "storefront read", method: random.pick(["GET", "GET", "GET", "HEAD"]), path: path + query },
    ...{ body: null, headers: tags, statuses: [200, 304, 404, 422, 429] },
  };
}

function payloadOf(topic: string, random: Random, known: Known): unknown {
  const id = random.int(1, 60);
  if (topic.startsWith("orders/")) {
    const contacts = { email: random.pick([null, "ann@example.com"]), phone: random.pick([null, "+4930123456"]) };
    const attributes = [{ name: "_quiz_session", value: known.own(random, "sess") }];
    const lines = [{ product: random.int(100, 110), price: "12.50", properties: attributes }];
    return order({ id, at: Date.now() - random.int(0, 86_400_000), total: "12.50", lines, attributes, ...contacts });
  }
  if (topic.startsWith("products/")) {
    return product({
      id: 100 + id,
      title: "Cream",
      image: "https://img.example/a.png",
      variants: [{ id, title: "S", price: "1.00" }],
    });
  }
  if (topic === "shop/update") return { id: 1, currency: "EUR", iana_timezone: "Europe/Berlin", name: "Shop" };
  const customer = { id, email: "nobody@example.com", phone: "+4930123456" };
  return { shop_id: 1, customer, orders_to_redact: [id], orders_requested: [id], data_request: { id: 1 } };
}

/** A message of the platform: usually signed, with a complete or an altered payload. */
export function commerceShot(shops: readonly FuzzCommerce[], random: Random, known: Known): Shot {
  const shop = random.pick(shops);
  const topic = random.chance(0.95) ? random.pick(shop.topics) : random.pick(hostileTexts).replaceAll(/[^ -~]/g, "");
  const right = payloadOf(topic, random, known);
  const value = random.chance(0.6) ? bent(right, random) : random.chance(0.02) ? nested(3_000) : right;
  const text = JSON.stringify(value) ?? "null";
  const body = random.chance(0.05) ? text.slice(0, Math.max(1, text.length - 1)) : text;
  const hmac = createHmac("sha256", shop.secret).update(body).digest("base64");
  const signed = random.chance(0.93);
  const signature = signed
    ? hmac
    : random.pick(["", hmac.slice(0, -2), hmac.toLowerCase(), `${hmac}=`, "é", "A".repeat(44)]);
  const webhookId = random.pick([random.hex(16), "same", "", "x".repeat(4_000)]);
  return {
    ...{ ...outside, label: signed ? "commerce" : "unsigned commerce", method: "POST", body },
    path: "/commerce/v1/shopify/webhooks",
    headers: [
      ...[...json, "x-shopify-topic", topic, "x-shopify-shop-domain", shop.domain],
      ...["x-shopify-hmac-sha256", signature, "x-shopify-webhook-id", webhookId],
    ],
    // a shop that was erased, or whose erasure has just been requested, is unknown
    statuses: signed ? [200, 422, ...(shop.topics.includes("shop/redact") ? [401] : [])] : [401],
    judge: ({ status, text: answered }) => (status !== 200 || answered === "{}" ? null : "200 says more than {}"),
  };
}
