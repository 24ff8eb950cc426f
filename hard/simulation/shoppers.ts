import { maxEventAgeMs } from "../../contract/storefront.ts";
import { ownStore, sql } from "../../server/platform/database/sql.ts";
import { typedContactsOf } from "../../testkit/analytics-model/orders.ts";
import type { Answered } from "../../testkit/app.ts";
import type { TimedEvent } from "../../testkit/histories.ts";
import { newModelSession, type TypedContact } from "../../testkit/people-model.ts";
import { inSeq, type KnownSession, type Made, type Shop } from "./ledger.ts";
import { invent, nextEvents, openSession } from "./visits.ts";
import type { World } from "./world.ts";

/** Shoppers' browsers: what they send, and what must be recorded once it was acknowledged. */

interface Batch {
  shop: Shop;
  session: KnownSession;
  events: Made[];
  sentAt: number;
}

const most = 8;

/**
 * Several browsers send at the same time, up to `wanted` batches; returns how many were sent. When this resolves, the ledger
 * contains their outcomes.
 */
export async function shop(world: World, shops: readonly Shop[], wanted: number): Promise<number> {
  const { steps } = world.draws;
  const batches: Batch[] = [];
  for (let index = 0; index < Math.min(wanted, most); index++) {
    const of = steps.chance(0.8) ? shops[0] : shops[1];
    const session = of && sessionToContinue(world, of);
    if (!of || !session) continue;
    const batch = nextBatch(world, of, session);
    const version = session.quiz.versions[session.version];
    if (version && !version.warm) {
      // it is sent alone, because it waits for its version to be read while other batches would overtake it
      if (batches.length > 0) break;
      batches.push(batch);
      break;
    }
    batches.push(batch);
  }
  const before = world.life.transactions;
  const answers = await Promise.all(batches.map((batch) => post(world, batch)));
  const concerned = new Set(batches.map((batch) => batch.shop));
  // two transactions have other consequences than a single one
  if (world.life.transactions - before > concerned.size) for (const one of concerned) one.grouped = false;
  for (const one of shops) {
    const own = batches.flatMap((batch, index) => {
      const answer = answers[index];
      return batch.shop === one && answer ? [{ batch, answer }] : [];
    });
    await record(world, one, own);
  }
  return batches.length;
}

function sessionToContinue(world: World, of: Shop): KnownSession | null {
  const { steps } = world.draws;
  const going = of.sessions.filter((session) => !session.over);
  if (going.length >= 9 || (going.length > 0 && steps.chance(0.85))) return steps.pick(going);
  return openSession(world, of, steps);
}

/** A browser's next batch: new events, held-back ones and repeated ones, in any order. */
function nextBatch(world: World, of: Shop, session: KnownSession): Batch {
  const { steps } = world.draws;
  const now = world.time.now();
  const sent = (events: Made[]): Batch => {
    return { shop: of, session, events: events.map((made) => agedTo(made, session, now)), sentAt: now };
  };
  if (session.last.length > 0 && steps.chance(0.07)) return sent(session.last);
  let events = nextEvents(of, session, now, steps);
  if (steps.chance(0.12) && events.length > 1) session.held.push(...events.splice(steps.int(0, events.length - 2), 1));
  if (session.held.length > 0 && (steps.chance(0.3) || session.over)) events.push(...session.held.splice(0));
  if (session.last.length > 0 && steps.chance(0.06)) events.push(steps.pick(session.last));
  if (steps.chance(0.04)) events.push(invent(session, now, steps));
  if (steps.chance(0.15)) events = events.toReversed();
  if (events.length === 0) events = [invent(session, now, steps)];
  session.last = events;
  return sent(events);
}

/** Events held back for too long are rejected, unless they have arrived before [storefront.old-events]. */
const agedTo = (made: Made, { kept }: KnownSession, now: number): Made =>
  made.refused === null && !kept.has(made.event.id) && now - made.at > maxEventAgeMs
    ? { ...made, refused: "too_old" }
    : made;

function post(world: World, { shop: of, session, events, sentAt }: Batch): Promise<Answered> {
  const { steps } = world.draws;
  const { facts, skew } = session;
  const iso = (at: number) => new Date(at + skew).toISOString();
  const version = session.quiz.versions[session.version];
  const { userAgent } = facts.browser;
  return world.request("POST", "/storefront/v1/events", {
    body: {
      store: of.store.publishableKey,
      sent_at: iso(sentAt),
      session: {
        id: session.id,
        visitor_id: session.visitor,
        quiz_id: session.quiz.id,
        version_id: version?.id,
        // only the first batch's attributes count
        channel: session.kept.size > 0 && steps.chance(0.05) ? "elsewhere" : facts.channel,
        placement: facts.placement,
        page_url: facts.page.sent,
        referrer: facts.source.referrer.sent,
        utm: facts.source.utm,
        preview: session.preview,
      },
      events: events.map(({ event, at }) => ({ ...event, at: iso(at) })),
    },
    headers: {
      ...(userAgent === null ? { "user-agent": "" } : { "user-agent": userAgent }),
      ...(facts.country === null ? {} : { "x-country": facts.country }),
      ...(steps.chance(0.1) ? { "content-type": "text/plain" } : {}),
    },
  });
}

interface Sent {
  batch: Batch;
  answer: Answered;
}

/** Records what was acknowledged in the ledger, in the order of the batches. */
async function record(world: World, of: Shop, sent: readonly Sent[]): Promise<void> {
  if (sent.length === 0) return;
  const touched = new Set<KnownSession>();
  const before = new Map(sent.map(({ batch: { session } }) => [session, inSeq(session.kept.values())]));
  for (const { batch, answer } of sent) {
    const { session, events } = batch;
    const sound = events.filter(({ refused }) => refused === null);
    const fresh = firstOfEach(sound.filter(({ event }) => !session.kept.has(event.id)));
    const version = session.quiz.versions[session.version];
    if (version && answer.status === 202) version.warm = true;
    if (answer.status === 202) checkAnswer(world, batch, answer, fresh.length);
    else if (answer.status !== 503) world.fail(`a batch was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    if (answer.status !== 202 && !(await committed(world, of, session, fresh))) continue;
    if (keep(session, fresh)) touched.add(session);
  }
  settlePeople(of, new Map([...before].filter(([session]) => touched.has(session))));
}

const firstOfEach = (events: readonly Made[]): Made[] => [
  ...new Map(events.toReversed().map((made) => [made.event.id, made])).values(),
];

function checkAnswer(world: World, { session, events }: Batch, { body }: Answered, fresh: number): void {
  const refused = events.flatMap((made) => (made.refused === null ? [] : [made.refused]));
  const late = body.rejected.filter(({ reason }: { reason: string }) => ["incomplete", "timed_out"].includes(reason));
  const others = body.rejected.length - late.length;
  const duplicates = events.length - refused.length - fresh;
  const expected = [fresh, duplicates, refused.length];
  const found = [body.accepted + late.length, body.duplicates, others];
  if (String(expected) === String(found)) return;
  world.fail(`${session.id}: kept, repeated and refused events are ${found}, not ${expected}: ${JSON.stringify(body)}`);
}

/** Whether a request whose answer was lost was committed: completely, or not at all. */
async function committed(world: World, of: Shop, session: KnownSession, fresh: readonly Made[]): Promise<boolean> {
  if (fresh.length === 0) return false;
  const uuids = fresh.map(({ event }) => event.id.slice("evt_".length));
  const [row] = await world.read(
    of.store.uuid,
    sql<{ n: number }>`SELECT count(*) AS n
      FROM session_events WHERE store_id = ${ownStore} AND session_id = ${session.id.slice("sess_".length)}::uuid
      AND id = ANY(${uuids}::uuid[])`,
  );
  const there = row?.n ?? 0;
  if (there !== 0 && there !== fresh.length)
    world.fail(`${session.id}: ${there} of ${fresh.length} events of a batch that failed are there`);
  return there > 0;
}

/** Returns whether a contact was typed, including cleared ones. */
function keep(session: KnownSession, fresh: readonly Made[]): boolean {
  const edition = session.quiz.versions[session.version]?.edition;
  let typed = false;
  for (const { event, at } of fresh.toSorted(
    (a, b) => a.event.seq - b.event.seq || (a.event.id < b.event.id ? -1 : 1),
  )) {
    session.kept.set(event.id, { ...event, time: at } as TimedEvent);
    if (event.type !== "answer_saved") continue;
    const kind = edition?.quiz.questions.get(event.component_key)?.component.kind;
    typed ||= kind === "email" || kind === "phone";
  }
  return typed;
}

/**
 * Applies the sessions to the people model like the transaction: session by session, in the order in which they were
 * named.
 *
 * @param touched sessions in which a contact was typed, with their earlier events
 */
function settlePeople(of: Shop, touched: ReadonlyMap<KnownSession, readonly TimedEvent[]>): void {
  for (const session of of.sessions) {
    if (session.kept.size > 0 && !of.arrived.includes(session)) of.arrived.push(session);
  }
  const states = new Map<number, TypedContact[][]>();
  for (const [session, before] of touched) {
    if (session.preview) continue;
    const edition = session.quiz.versions[session.version]?.edition;
    if (!edition) continue;
    session.person ??= of.people.sessions.push(newModelSession(session.visitor)) - 1;
    const typedIn = (events: readonly TimedEvent[]) => typedContactsOf(edition.quiz, events, session.facts.country);
    states.set(session.person, statesOf(typedIn, before, inSeq(session.kept.values())));
  }
  if (states.size === 0) return;
  for (const { topic } of of.people.resolve([...states.keys()], (index) => states.get(index) ?? [])) {
    of.caused.set(topic, (of.caused.get(topic) ?? 0) + 1);
  }
}

/** The contacts after each new answer, if all new events follow the earlier ones; otherwise only the final ones. */
function statesOf(
  typedIn: (events: readonly TimedEvent[]) => TypedContact[],
  before: readonly TimedEvent[],
  now: readonly TimedEvent[],
): TypedContact[][] {
  const typed = typedIn(now);
  if (before.some(({ id }, place) => now[place]?.id !== id)) return [typed];
  const earlier = typedIn(before).length;
  return typed.slice(earlier).map((_, index) => typed.slice(0, earlier + index + 1));
}
