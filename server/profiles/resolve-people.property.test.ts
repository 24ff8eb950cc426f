import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { insertOrder, insertQuiz, insertSession } from "../../testkit/people.ts";
import {
  type ModelEvent,
  type ModelPerson,
  newModelSession,
  PeopleModel,
  type TypedContact,
} from "../../testkit/people-model.ts";
import { surveyDocument } from "../../testkit/small-quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { holdRevision, raiseRevision } from "../stores/public.ts";
import { type Contact, contactKey } from "./people.ts";
import { confirmByOrders, type PeopleChanges, resolvePeople } from "./resolve-people.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const minute = 60_000;
const start = Date.parse("2026-03-01T00:00:00.000Z");
/** of the sessions: some within half an hour of each other, some inside another, some far */
const times = [0, 20, 25, 90, 130, 400].map((opened, index) => {
  return { openedAt: start + opened * minute, lastEventAt: start + (opened + [5, 50, 1, 9, 2, 3][index]!) * minute };
});
/** of the sessions: some browsers come again */
const browsers = [0, 1, 0, 2, 1, 3];

const contacts = {
  mail: ["email:a@x.test", "email:b@x.test", "email:c@x.test"],
  second: ["email:a@x.test", "email:d@x.test"],
  tel: ["phone:+491", "phone:+492", "phone:+493"],
} as const;

const typing = fc.record({
  session: fc.nat(times.length - 1),
  field: fc.constantFrom("mail", "mail", "tel", "tel", "second"),
  pick: fc.nat(9),
  clear: fc.nat(7).map((n) => n === 0),
  consent: fc.boolean(),
  /** whether it arrives before what was typed in its session just before */
  early: fc.nat(9).map((n) => n === 0),
});
const typings = fc.array(typing, { minLength: 1, maxLength: 4 });
const order = fc.record({ email: fc.nat(4), phone: fc.nat(4), names: fc.nat(5) });
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: typings }, { weight: 1, arbitrary: order }), {
  minLength: 1,
  maxLength: 14,
});

interface World {
  store: string;
  ids: string[];
  model: PeopleModel;
  /** person by label */
  known: Map<number, string>;
}

async function openWorld(): Promise<World> {
  const { uuid: store } = await t.store();
  const db = t.database.reader();
  const quiz = await insertQuiz(db, store, [surveyDocument]);
  const ids: string[] = [];
  const visitors = browsers.map(() => randomUUID());
  const given = times.map((session, index) => ({ ...session, visitorId: visitors[browsers[index]!]! }));
  for (const session of given) {
    ids.push(await insertSession(db, store, { quizId: quiz.id, versionId: quiz.versions[0]!, ...session }));
  }
  const sessions = given.map(({ visitorId, openedAt, lastEventAt }) =>
    newModelSession(visitorId, openedAt, lastEventAt),
  );
  return { store, ids, model: new PeopleModel(sessions), known: new Map() };
}

/** An order comes: of each kind at most one contact, and often the browser that it was bought with. */
async function orderBoth(world: World, { email, phone, names }: { email: number; phone: number; names: number }) {
  const contact = { email: contacts.mail[email] ?? null, phone: contacts.tel[phone] ?? null };
  const visitor = world.model.sessions[names]?.visitor ?? null;
  const db = t.database.reader();
  const values = (key: string | null) => (key === null ? [] : [key.slice(6)]);
  await insertOrder(db, world.store, [
    ...(visitor === null ? [] : [{ tier: "visitor" as const, value: visitor }]),
    ...values(contact.email).map((value) => ({ tier: "email" as const, value })),
    ...values(contact.phone).map((value) => ({ tier: "phone" as const, value })),
  ]);
  const answer = await t.database.transaction(async (tx) => {
    await holdRevision(tx, world.store);
    const given = [{ emails: values(contact.email), phones: values(contact.phone) }];
    return confirmByOrders(tx.forStore(world.store), given, { now: start + 1000 * minute, random: randomBytes });
  });
  return { expected: world.model.order({ ...contact, visitor }), answer };
}

async function resolveBoth(world: World, indexes: readonly number[]) {
  const expected = world.model.resolve(indexes);
  const sessions = indexes.map((index) => ({
    sessionId: world.ids[index]!,
    states: [contactsOf(world.model.sessions[index]!.typed)],
  }));
  const now = start + 1000 * minute;
  const answer = await t.database.transaction(async (tx) => {
    await raiseRevision(tx, world.store);
    const touchedSessionIds = sessions.map(({ sessionId }) => sessionId);
    const deps = { now, random: randomBytes, touchedSessionIds };
    return (await resolvePeople(tx.forStore(world.store), sessions, deps)).answered;
  });
  return { expected, answer };
}

function contactsOf(typed: readonly TypedContact[]) {
  return typed
    .filter((one) => one.contact !== null)
    .toSorted((a, b) => a.seq - b.seq)
    .map((one) => ({
      componentKey: one.field,
      pageKey: "contact",
      kind: one.contact!.slice(0, 5) as "email" | "phone",
      value: one.contact!.slice(6),
      shown: null,
      consent: one.consent,
      at: new Date(one.at),
      seq: one.seq,
      eventId: `evt_${one.seq}`,
      current: !typed.some((other) => other.field === one.field && other.seq > one.seq),
    }));
}

/** The people of the database, in the model's words. */
async function readPeople({ store, ids }: World) {
  const db = t.database.reader().forStore(store);
  const profiles = await db.all(sql<{ id: string; sessions_count: number; visits_count: number; number: number }>`
  SELECT id, sessions_count, visits_count, number FROM profiles WHERE store_id = ${ownStore}`);
  const identities = await db.all(sql<{
    profile_id: string;
    contact: string;
    consent: boolean;
    first_seen_at: Date;
    last_seen_at: Date;
  }>`
  SELECT profile_id, kind || ':' || value AS contact, consent, first_seen_at, last_seen_at FROM identities
  WHERE store_id = ${ownStore} ORDER BY kind, value`);
  const sessions = await db.all(sql<{ id: string; profile_id: string | null }>`
  SELECT id, profile_id FROM sessions WHERE store_id = ${ownStore}`);
  return profiles.map((profile) => ({
    ...profile,
    sessions: sessions
      .filter((session) => session.profile_id === profile.id)
      .map((session) => ids.indexOf(session.id))
      .sort(),
    contacts: identities
      .filter((identity) => identity.profile_id === profile.id)
      .map(({ contact, consent, first_seen_at, last_seen_at }) => {
        return { contact, first: first_seen_at.getTime(), last: last_seen_at.getTime(), consent };
      }),
  }));
}

async function comparePeople(world: World): Promise<void> {
  const found = await readPeople(world);
  expect(found.length).toBe(world.model.people.length);
  expect(new Set(found.map((person) => person.number)).size).toBe(found.length);
  for (const person of world.model.people) {
    const expected = world.model.describe(person);
    const same = found.find((other) => other.contacts.some(({ contact }) => person.contacts.has(contact)));
    expect(same?.id).toBe(world.known.get(person.label) ?? same?.id);
    world.known.set(person.label, same?.id ?? "");
    expect({ contacts: same?.contacts, sessions: same?.sessions, visits: same?.visits_count }).toEqual(expected);
    expect(same?.sessions_count).toBe(expected.sessions.length);
  }
}

type Typing = typeof typing extends fc.Arbitrary<infer Value> ? Value : never;

/** Types into the model's sessions; answers which. */
function type(world: World, typings: readonly Typing[], clock: { at: number; seq: number }): number[] {
  for (const { session, field, pick, clear, consent, early } of typings) {
    const { typed } = world.model.sessions[session]!;
    clock.at += 1;
    clock.seq += 2;
    const list = contacts[field as keyof typeof contacts];
    const contact = clear ? null : list[pick % list.length]!;
    const place = early ? (typed.at(-1)?.seq ?? clock.seq) - 1 : clock.seq;
    if (typed.some((other) => other.seq === place)) continue;
    typed.push({ field, contact, consent, at: start + clock.at * 1000, seq: place });
  }
  return [...new Set(typings.map(({ session }) => session))];
}

function compareEvents(world: World, expected: readonly ModelEvent[], { events }: PeopleChanges): void {
  const nameOf = (person: ModelPerson | null) => person && (world.known.get(person.label) ?? "");
  const wanted = expected.map(({ topic, session, contact, person, held }) => {
    const left = held.filter((one) => person?.contacts.has(one)).sort();
    return [topic, session === null ? null : world.ids[session], contact ?? nameOf(person), ...left].join(" ");
  });
  const got = events.map(({ topic, sessionId, profileId, data }) => {
    const { identity, identities = [] } = data as { identity?: Contact; identities?: Contact[] };
    if (identity) return [topic, sessionId, contactKey(identity)].join(" ");
    return [topic, sessionId, profileId, ...identities.map(contactKey).sort()].join(" ");
  });
  expect(got.sort()).toEqual(wanted.sort());
}

it("makes, joins, corrects, moves and merges people as the naive model does [people.new-person, people.known-contact, people.corrected-value, people.brought-phone, people.merge]", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const world = await openWorld();
      const clock = { at: 0, seq: 0 };
      for (const step of script) {
        const done = Array.isArray(step)
          ? await resolveBoth(world, type(world, step, clock))
          : await orderBoth(world, step);
        await comparePeople(world);
        compareEvents(world, done.expected, done.answer);
      }
    }),
    { numRuns: 60, interruptAfterTimeLimit: 60_000 },
  );
}, 100_000);
