import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { insertQuiz, insertSession } from "../../testkit/people.ts";
import { type ModelPerson, PeopleModel, type TypedContact } from "../../testkit/people-model.ts";
import { surveyDocument } from "../../testkit/small-quizzes.ts";
import { noDeadline } from "../platform/deadline.ts";
import { raiseRevision } from "../stores/public.ts";
import { settlePeople } from "./public.ts";

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
const steps = fc.array(fc.array(typing, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 14 });

interface World {
  store: string;
  ids: string[];
  model: PeopleModel;
  /** person by label */
  known: Map<number, string>;
}

async function openWorld(): Promise<World> {
  const { uuid: store } = await t.store();
  const db = t.database.reader(noDeadline);
  const quiz = await insertQuiz(db, store, [surveyDocument]);
  const ids: string[] = [];
  for (const session of times) {
    ids.push(await insertSession(db, store, { quizId: quiz.id, versionId: quiz.versions[0]!, ...session }));
  }
  return { store, ids, model: new PeopleModel(times), known: new Map() };
}

async function settleBoth(world: World, indexes: readonly number[]) {
  const expected = world.model.settle(indexes);
  const sessions = indexes.map((index) => ({
    sessionId: world.ids[index]!,
    contacts: contactsOf(world.model.sessions[index]!.typed),
  }));
  const now = start + 1000 * minute;
  const answer = await t.database.transaction(noDeadline, async (tx) => {
    await raiseRevision(tx, world.store);
    const touchedSessionIds = sessions.map(({ sessionId }) => sessionId);
    return settlePeople(tx, world.store, sessions, { now, random: randomBytes, touchedSessionIds });
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
      consent: one.consent,
      at: new Date(one.at),
      seq: one.seq,
      eventId: `evt_${one.seq}`,
      current: !typed.some((other) => other.field === one.field && other.seq > one.seq),
    }));
}

/** The people of the database, in the model's words. */
async function readPeople({ store, ids }: World) {
  const db = t.database.reader(noDeadline);
  const where = { parameters: [store] };
  const profiles = await db.all<{ id: string; sessions_count: number; visits_count: number; number: number }>({
    sql: "SELECT id, sessions_count, visits_count, number FROM profiles WHERE store_id = $1",
    ...where,
  });
  const identities = await db.all<{
    profile_id: string;
    contact: string;
    consent: boolean;
    first_seen_at: Date;
    last_seen_at: Date;
  }>({
    sql: `SELECT profile_id, kind || ':' || value AS contact, consent, first_seen_at, last_seen_at FROM identities
          WHERE store_id = $1 ORDER BY kind, value`,
    ...where,
  });
  const sessions = await db.all<{ id: string; profile_id: string | null }>({
    sql: "SELECT id, profile_id FROM sessions WHERE store_id = $1",
    ...where,
  });
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

it("makes, joins, corrects, moves and merges people as the naive model does (storefront 3)", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const world = await openWorld();
      let clock = 0;
      let seq = 0;
      for (const step of script) {
        for (const { session, field, pick, clear, consent, early } of step) {
          const { typed } = world.model.sessions[session]!;
          clock += 1;
          seq += 2;
          const list = contacts[field as keyof typeof contacts];
          const contact = clear ? null : list[pick % list.length]!;
          const place = early ? (typed.at(-1)?.seq ?? seq) - 1 : seq;
          if (typed.some((other) => other.seq === place)) continue;
          typed.push({ field, contact, consent, at: start + clock * 1000, seq: place });
        }
        const { expected, answer } = await settleBoth(world, [...new Set(step.map(({ session }) => session))]);
        await comparePeople(world);
        const nameOf = (person: ModelPerson | null) => person && (world.known.get(person.label) ?? "");
        const wanted = expected.map(({ topic, session, contact, person }) => {
          return [topic, world.ids[session], contact ?? nameOf(person)].join(" ");
        });
        const got = answer.events.map(({ topic, sessionId, profileId, data }) => {
          const identity = data["identity"] as { kind: string; value: string } | undefined;
          return [topic, sessionId, identity ? `${identity.kind}:${identity.value}` : profileId].join(" ");
        });
        expect(got.sort()).toEqual(wanted.sort());
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
