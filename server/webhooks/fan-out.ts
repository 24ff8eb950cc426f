import type { Database, DueStatement } from "../platform/database/database.ts";
import { anyOf, ownStore, raw, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { eachDueStore } from "../platform/each-store.ts";
import type { DueEvent, EventPayload, PayloadBuilders } from "../platform/event-payloads.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { Problem } from "../platform/problems.ts";
import { insertDeliveries, type NewDelivery } from "./deliveries.ts";
import { envelopeText } from "./envelope.ts";
import { buildPayloads, dueEvent, type OutboxRow, outboxColumns } from "./outbox-rows.ts";
import { objectWithoutContacts } from "./privacy.ts";

/**
 * Turns due outbox events into deliveries: one for every endpoint that is enabled and subscribed at that moment, with
 * the payload as it will be signed [webhooks.hand-over]. The event is marked and its deliveries are inserted in one
 * transaction, so that each event is handed over exactly once.
 */

export interface FanOutDeps {
  /** for every topic that is written to the outbox */
  builders: Partial<PayloadBuilders>;
  /** calendar time in ms */
  now: () => number;
  random: RandomBytes;
  log: Log;
}

/** Events per sweep; a caller that gets this many back calls again. */
export const fanOutAtOnce = 100;
/**
 * An event whose payload cannot be built is postponed by this much, so that it does not hold up others
 * [webhooks.bad-event].
 */
const putOffMs = 10 * 60_000;

/**
 * Hands over at most 100 due events across all stores, the longest due first; returns their number. Several processes
 * may run it at the same time: each skips the rows that another has locked.
 */
export async function sweepOutbox(database: Database, deps: FanOutDeps): Promise<number> {
  const dueEvents: DueStatement<{ store_id: string; id: string }> = (only) => sql`
    /* due: across stores */
    SELECT store_id, id FROM outbox WHERE due_at <= ${new Date(deps.now())} ${only}
    ORDER BY due_at, store_id, id LIMIT ${raw(fanOutAtOnce)}`;
  return eachDueStore(database, dueEvents, (storeId, due) => {
    const ids = due.map(({ id }) => id);
    return sweepStore(database, deps, storeId, ids);
  });
}

async function sweepStore(
  database: Database,
  deps: FanOutDeps,
  storeId: string,
  ids: readonly string[],
): Promise<number> {
  try {
    return await database.transaction((tx) => handOver(tx.forStore(storeId), deps, ids));
  } catch (error) {
    // the database is unavailable, or another transaction holds an endpoint: the next round tries again
    if (error instanceof Problem) {
      deps.log.warn({ err: error }, "could not hand over a store's events; retrying in the next round");
      return 0;
    }
    const [only] = ids;
    if (only !== undefined && ids.length === 1) {
      deps.log.error({ err: error, event: only }, "an event could not be handed to the webhooks; it is tried again");
      const later = new Date(deps.now() + putOffMs);
      await database.transaction((tx) =>
        tx.forStore(storeId).all(sql`
          UPDATE outbox SET due_at = ${later} WHERE store_id = ${ownStore} AND id = ${only} AND due_at IS NOT NULL`),
      );
      return 1;
    }
    let handedOver = 0;
    for (const id of ids) handedOver += await sweepStore(database, deps, storeId, [id]);
    return handedOver;
  }
}

interface Subscriber {
  id: string;
  topics: string[];
  include_pii: boolean;
  quiz_ids: string[] | null;
}

async function handOver(tx: StoreTransaction, deps: FanOutDeps, ids: readonly string[]): Promise<number> {
  const now = deps.now();
  const rows = await tx.all(sql<OutboxRow>`
    SELECT ${outboxColumns} FROM outbox
    WHERE store_id = ${ownStore} AND id = ${anyOf(ids)} AND due_at <= ${new Date(now)}
    ORDER BY due_at, created_at, id FOR UPDATE SKIP LOCKED`);
  if (rows.length === 0) return 0;
  // locked against the privacy switch and erasures; see `lockEndpoints`
  const subscribers = await tx.all(sql<Subscriber>`
    SELECT id, topics, include_pii, quiz_ids FROM webhook_endpoints
    WHERE store_id = ${ownStore} AND status = 'enabled' ORDER BY id FOR NO KEY UPDATE`);
  const events = rows.map(dueEvent);
  const subscribed = events.filter((event) => subscribers.some((subscriber) => isSubscribed(subscriber, event)));
  const payloads = await buildPayloads(tx, deps.builders, subscribed);
  const deliveries = inOrder(
    subscribed.flatMap((event) => deliveriesOf(event, payloads.get(event.id), subscribers)),
    () => uuidAt(now, deps.random),
  );
  await insertDeliveries(tx, deliveries, new Date(now));
  const handedOver = events.map(({ id }) => id);
  await tx.all(sql`UPDATE outbox SET due_at = NULL WHERE store_id = ${ownStore} AND id = ${anyOf(handedOver)}`);
  return events.length;
}

/** `quiz_ids` never filters events without a quiz [webhooks.quiz-ids]. */
function isSubscribed({ topics, quiz_ids }: Subscriber, { topic, quizId }: DueEvent): boolean {
  return topics.includes(topic) && (quiz_ids === null || quizId === null || quiz_ids.includes(quizId));
}

type Unnumbered = Omit<NewDelivery, "id">;

/** Serializes the payload at most twice, with and without contacts, however many endpoints receive it. */
function deliveriesOf(
  event: DueEvent,
  payload: EventPayload | undefined,
  subscribers: readonly Subscriber[],
): Unnumbered[] {
  if (payload === undefined) return [];
  const texts = new Map<boolean, string>();
  const textFor = (includePii: boolean): string => {
    const known = texts.get(includePii);
    if (known !== undefined) return known;
    const text = envelopeText(event, includePii ? payload.object : objectWithoutContacts(payload.object));
    texts.set(includePii, text);
    return text;
  };
  return subscribers
    .filter((subscriber) => isSubscribed(subscriber, event) && subscriber.id !== payload.exceptEndpoint)
    .map(({ id: endpointId, include_pii }) => ({
      endpointId,
      eventId: event.id,
      topic: event.topic,
      payload: textFor(include_pii),
      sessionId: event.sessionId,
      profileId: event.profileId,
    }));
}

/**
 * Ids made at the same moment differ only in their random part. Sorting them makes senders, who order by id, send a
 * batch's events in their original order.
 */
function inOrder(deliveries: readonly Unnumbered[], newId: () => string): NewDelivery[] {
  const ids = deliveries.map(newId).sort();
  return deliveries.map((delivery, index) => ({ id: ids[index] ?? newId(), ...delivery }));
}
