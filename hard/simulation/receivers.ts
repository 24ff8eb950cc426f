import { createHmac } from "node:crypto";
import { pingTopic } from "../../contract/events.ts";
import { ownStore, sql } from "../../server/platform/database/sql.ts";
import { formatId } from "../../server/platform/ids.ts";
import { erasedValues, holdsContact } from "./contacts.ts";
import type { KnownEndpoint, Shop } from "./ledger.ts";
import type { Reaction, Receive } from "./network.ts";
import type { World } from "./world.ts";

/** Receivers of webhooks: their behaviour, and the checks of every request. */

type Post = Parameters<Receive>[0];
export type Mood = "well" | "flaky" | "down" | "slow" | "hanging" | "busy" | "gone";

export const moods: readonly Mood[] = [
  "well",
  "well",
  "well",
  "flaky",
  "flaky",
  "down",
  "slow",
  "hanging",
  "busy",
  "gone",
];
/** What a lane has begun when an endpoint changes may still be sent for this long, in ms of real time. */
const inHandMs = 3_500;
/** A lane that cannot reach the database signs with the secrets that it has until its lease is about to end. */
const keysMs = 7_500;

export interface Receiver {
  endpoint: KnownEndpoint;
  mood: Mood;
  saidGone: boolean;
  /** by event id: the payload, and the number of 2xx answers */
  heard: Map<string, { body: string; taken: number }>;
}

/** By endpoint id. */
const receiversOf = new WeakMap<Shop, Map<string, Receiver>>();

export function receiversFor(shop: Shop): Map<string, Receiver> {
  const known = receiversOf.get(shop) ?? new Map<string, Receiver>();
  receiversOf.set(shop, known);
  return known;
}

/** From now on, all behave well. */
export function heal(shop: Shop): void {
  for (const receiver of receiversFor(shop).values()) receiver.mood = "well";
}

export function connect(world: World, shop: Shop, receiver: Receiver, url: string): void {
  world.network.connect(url, (post) => {
    const event = check(world, shop, receiver, post);
    const reaction = react(world, receiver.mood);
    if (event && reaction.status !== null && reaction.status < 300 && reaction.after < 15_000) event.taken += 1;
    if (reaction.status === 410) receiver.saidGone = true;
    return reaction;
  });
}

function react(world: World, mood: Mood): Reaction {
  const { steps } = world.draws;
  const soon = steps.int(1, 200);
  switch (mood) {
    case "well":
      return { after: soon, status: 204 };
    case "flaky":
      return steps.pick<Reaction>([
        { after: soon, status: 200 },
        { after: soon, status: 200 },
        { after: soon, status: 500 },
        { after: soon, status: null, error: "the connection was reset" },
      ]);
    case "down":
      return { after: 2, status: null, error: "connect ECONNREFUSED" };
    case "slow":
      return { after: steps.int(2_000, 14_900), status: 200 };
    case "hanging":
      return { after: 60_000, status: null };
    case "busy":
      return { after: soon, status: 429, retryAfter: String(steps.int(1, 600)) };
    case "gone":
      return { after: soon, status: steps.chance(0.3) ? 410 : 404 };
  }
}

function check(world: World, shop: Shop, { endpoint, heard }: Receiver, { url, headers, body }: Post) {
  const text = body.toString();
  const what = `a request to ${url}`;
  const envelope = JSON.parse(text);
  const inHand = world.time.elapsed() - endpoint.changedAt < inHandMs;
  if (headers["webhook-id"] !== envelope.id) world.fail(`${what}: webhook-id is not the event's`);
  if (!inHand && endpoint.deleted) world.fail(`${what} after its endpoint was deleted`);
  if (!inHand && !endpoint.enabled) world.fail(`${what} after its endpoint was disabled`);
  if (!inHand && endpoint.urls[0] !== url) world.fail(`${what}, where the endpoint was before`);
  if (envelope.type !== pingTopic && !endpoint.everHeard.has(envelope.type)) {
    world.fail(`${what}: ${envelope.type}, to which it never subscribed`);
  }
  if (!inHand && !endpoint.includePii && holdsContact(shop, text))
    world.fail(`${what}: a contact, without include_pii`);
  // deliveries in progress, or sent already, when the person was erased
  const justErased = world.time.elapsed() - shop.erasedAt < inHandMs;
  for (const value of erasedValues(shop)) {
    if (!justErased && text.includes(value)) world.fail(`${what}: the contact ${value}, which was erased`);
  }
  for (const foreign of world.foreign) if (text.includes(foreign)) world.fail(`${what}: another store's ${foreign}`);
  checkSignatures(world, endpoint, { what, text, headers });
  const known = heard.get(envelope.id);
  // an erasure or the privacy switch removes contacts from waiting deliveries
  if (known && known.body !== text && shop.exact && !endpoint.stripped)
    world.fail(`${what}: an event changed between attempts`);
  const event = known ?? { body: text, taken: 0 };
  heard.set(envelope.id, event);
  return event;
}

interface Signed {
  what: string;
  text: string;
  headers: Readonly<Record<string, string>>;
}

function checkSignatures(world: World, endpoint: KnownEndpoint, { what, text, headers }: Signed): void {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": given = "" } = headers;
  const matches = ({ text: secret }: { text: string }) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return given
      .split(" ")
      .includes(`v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest("base64")}`);
  };
  const [newest, before] = endpoint.secrets;
  const changed = world.time.elapsed() - endpoint.changedAt < keysMs;
  if (!newest || matches(newest) || (changed && before && matches(before))) return;
  world.fail(`${what}: no signature by the secret in force`);
}

interface EndpointRow {
  id: string;
  status: string;
  reason: string | null;
  failing_ms: number | null;
}

const endpointsSql = sql<EndpointRow>`SELECT id, status, disabled_reason AS reason,
    (extract(epoch FROM disabled_at - failing_since) * 1000)::float8 AS failing_ms
  FROM webhook_endpoints WHERE store_id = ${ownStore}`;

const failingMs = 120 * 3_600_000;

/**
 * Notes which endpoints the program has disabled, and compares that with their receivers' behaviour [webhooks.disable].
 */
export async function noticeDisabled(world: World, shop: Shop): Promise<void> {
  if (shop.present.length === 0) return;
  for (const row of await world.read(shop.store.uuid, endpointsSql)) {
    const receiver = receiversFor(shop).get(formatId("whe", row.id));
    if (!receiver?.endpoint.enabled || row.status !== "disabled") continue;
    Object.assign(receiver.endpoint, { enabled: false, changedAt: world.time.elapsed() });
    const deserved = row.reason === "gone" ? receiver.saidGone : (row.failing_ms ?? 0) >= failingMs;
    if (!deserved) world.fail(`${receiver.endpoint.id} was disabled as ${row.reason} without cause`);
  }
}
