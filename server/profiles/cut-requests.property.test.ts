import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { email, page, phone, quizDocument, text } from "../../testkit/document-parts.ts";
import { eventId } from "../../testkit/histories.ts";
import { propertyMs, propertyRuns } from "../../testkit/property-runs.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { send, sessionId, visitorId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { type Contact, contactKey } from "./people.ts";

/** What a session leaves is the same however its events were cut into requests. */

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const document = quizDocument([
  page("contact", [
    email("mail"),
    email("second", { consent: null }),
    phone("tel", { consent: { label: "Texts", required: false } }),
    phone("mobile"),
    text("name"),
  ]),
]);

/** Spelled as shoppers do: one contact has several forms. */
const emails = ["a@x.test", "b@x.test", " B@X.test", "c@x.test", "d@x.test"];
const phones = ["+4915112345671", "+49 151 12345672", "+49 (151) 12345672", "+4915112345673"];
const words = ["", "none", "a@x.test"];
const ofField = { mail: emails, second: emails, tel: phones, mobile: phones, name: words } as const;
type Field = keyof typeof ofField;
const fields = Object.keys(ofField) as Field[];

interface Typed {
  field: Field;
  /** null: cleared */
  value: string | null;
  consent: boolean | null;
}

const typed: fc.Arbitrary<Typed> = fc.constantFrom(...fields, "mail" as const, "tel" as const).chain((field) =>
  fc.record({
    field: fc.constant(field),
    value: fc.oneof({ weight: 7, arbitrary: fc.constantFrom(...ofField[field]) }, fc.constant(null), fc.constant("?")),
    consent: fc.constantFrom(null, true, false),
  }),
);

interface Script {
  /** sessions of before, by the visitor who took each; the last one is the one that is cut */
  sessions: { visitor: number; typed: Typed[] }[];
  /** whether a request ends before each event */
  cuts: boolean[];
}

const script: fc.Arbitrary<Script> = fc.record({
  sessions: fc.array(fc.record({ visitor: fc.nat(2), typed: fc.array(typed, { minLength: 1, maxLength: 5 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
  cuts: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
});

interface World {
  store: TestStore;
  quiz: TestQuiz;
}

async function openWorld(): Promise<World> {
  const store = await t.store();
  return { store, quiz: await makeQuiz(t, store, { document, publish: true }) };
}

/** Sends a session's events in these requests. */
async function take(
  { store, quiz }: World,
  session: number,
  visitor: number,
  requests: readonly Typed[][],
): Promise<void> {
  let seq = 0;
  for (const request of requests) {
    const events = request.map(({ field, ...answer }) => {
      seq += 1;
      const at = new Date(t.calendar.now() - 600_000 + session * 10_000 + seq * 100).toISOString();
      const place = { id: eventId(session * 100 + seq), seq, at };
      return { ...place, type: "answer_saved", page_key: "contact", component_key: field, ...answer };
    });
    const given = { id: sessionId(session), visitor_id: visitorId(visitor) };
    t.passTime(60_000);
    const answer = await send(t, store, quiz, events, { session: given });
    expect([answer.status, answer.body]).toEqual([202, { accepted: events.length, duplicates: 0, rejected: [] }]);
  }
}

const cutAt = (events: readonly Typed[], isCut: (index: number) => boolean): Typed[][] => {
  const requests: Typed[][] = [];
  for (const [index, event] of events.entries()) {
    if (index === 0 || isCut(index)) requests.push([]);
    requests.at(-1)?.push(event);
  }
  return requests;
};

/** Everything that is kept of people, in the words of the script. */
async function peopleOf({ store }: World) {
  const db = t.database.reader().forStore(store.uuid);
  const sessions = await db.all(sql<{ id: string; profile_id: string | null }>`
    SELECT id, profile_id FROM sessions WHERE store_id = ${ownStore} ORDER BY id`);
  const identities = await db.all(sql<{ profile_id: string; brought_by: string | null }>`
    SELECT kind, value, profile_id, consent, first_seen_at, last_seen_at, brought_by FROM identities
    WHERE store_id = ${ownStore} ORDER BY kind, value`);
  const profiles = await db.all(sql<{ id: string; first_seen_at: Date; last_seen_at: Date; sessions_count: number }>`
    SELECT id, created_at, first_seen_at, last_seen_at, sessions_count, visits_count, completed_count
    FROM profiles WHERE store_id = ${ownStore} AND removed_at IS NULL`);
  const people = profiles.map(({ id, first_seen_at, last_seen_at, ...figures }) => ({
    ...figures,
    // whom every session has left keeps the times that were counted last
    seen: figures.sessions_count === 0 ? null : [first_seen_at, last_seen_at],
    identities: identities.flatMap(({ profile_id, ...identity }) => (profile_id === id ? [identity] : [])),
    sessions: sessions.flatMap((session) => (session.profile_id === id ? [formatId("sess", session.id)] : [])),
  }));
  return people.sort((a, b) => (JSON.stringify(a.identities) < JSON.stringify(b.identities) ? -1 : 1));
}

/** Of an event: of a person, or of a contact. */
interface Data {
  identity?: Contact;
  identities?: Contact[];
  identities_from_session?: string[];
}

interface Told {
  topic: string;
  /** of the person as the store has them at last; of identity.captured the contact */
  about: string;
  kinds: string[];
  contacts: string[];
}

/** What the session told of contacts and of people who are still there. */
async function toldOf({ store }: World, session: number): Promise<Told[]> {
  const db = t.database.reader().forStore(store.uuid);
  const holders = await db.all(sql<{ id: string; contacts: string[] }>`
    SELECT profile_id AS id, array_agg(kind || ':' || value ORDER BY kind, value) AS contacts
    FROM identities WHERE store_id = ${ownStore} GROUP BY profile_id`);
  const rows = await db.all(sql<{ topic: string; session_id: string; profile_id: string | null; data: Data }>`
    SELECT topic, session_id, profile_id, data FROM outbox
    WHERE store_id = ${ownStore} AND topic IN ('profile.created', 'profile.updated', 'identity.captured')`);
  return rows
    .filter(({ session_id }) => formatId("sess", session_id) === sessionId(session))
    .flatMap(({ topic, profile_id, data }): Told[] => {
      const { identity, identities = [], identities_from_session: kinds = [] } = data;
      if (identity) return [{ topic, about: contactKey(identity), kinds, contacts: [] }];
      const holder = holders.find(({ id }) => id === profile_id);
      if (!holder) return [];
      return [{ topic, about: holder.contacts.join(), kinds, contacts: identities.map(contactKey).sort() }];
    });
}

/** Of what was held by then an event shows what its transaction left: one that ends later may leave less. */
const asLeft = (told: readonly Told[]): Told[] =>
  told
    .map(({ about, contacts, ...rest }) => {
      const held = about.split(",");
      return { ...rest, about, contacts: contacts.filter((contact) => held.includes(contact)) };
    })
    // ids of one moment have no order
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The same world twice, its last session taken in one request and in several. */
async function bothWays({ sessions, cuts }: Script): Promise<[World, World]> {
  const worlds: [World, World] = [await openWorld(), await openWorld()];
  for (const [which, world] of worlds.entries()) {
    for (const [index, { visitor, typed: events }] of sessions.entries()) {
      const isLast = index === sessions.length - 1;
      const requests = cutAt(events, (at) => isLast && which === 1 && cuts[at] === true);
      await take(world, index + 1, visitor, requests);
    }
  }
  return worlds;
}

describe("a session whose events come in one request or in several [people.any-arrival]", () => {
  it("leaves the same people", async () => {
    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const [one, several] = await bothWays(given);
        expect(await peopleOf(several)).toEqual(await peopleOf(one));
      }),
      { numRuns: propertyRuns(13), interruptAfterTimeLimit: propertyMs(20_000) },
    );
  }, 60_000);

  it("tells the same of them, where no value is replaced before its request ends [people.events]", async () => {
    const once = script.map(({ sessions, cuts }) => ({
      cuts,
      // of the session that is cut each field is answered once
      sessions: sessions.map((session, index) =>
        index < sessions.length - 1
          ? session
          : { ...session, typed: fields.flatMap((field) => session.typed.find((one) => one.field === field) ?? []) },
      ),
    }));
    await fc.assert(
      fc.asyncProperty(once, async (given) => {
        const [one, several] = await bothWays(given);
        const session = given.sessions.length;
        expect(asLeft(await toldOf(several, session))).toEqual(asLeft(await toldOf(one, session)));
      }),
      { numRuns: propertyRuns(13), interruptAfterTimeLimit: propertyMs(20_000) },
    );
  }, 60_000);

  it("tells nobody of a value that is replaced before its request ends [people.events]", async () => {
    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const [world] = await bothWays(given);
        const session = given.sessions.length;
        const db = t.database.reader().forStore(world.store.uuid);
        const rows = await db.all(sql<{ contact: string }>`
          SELECT kind || ':' || value AS contact FROM identities WHERE store_id = ${ownStore}
          UNION SELECT kind || ':' || value FROM captures WHERE store_id = ${ownStore}`);
        const left = rows.map(({ contact }) => contact);
        const told = await toldOf(world, session);
        const captured = told.filter(({ topic }) => topic === "identity.captured").map(({ about }) => about);
        expect(left).toEqual(expect.arrayContaining([...captured, ...told.flatMap(({ contacts }) => contacts)]));
        expect(new Set(captured).size).toBe(captured.length);
        expect(told.filter(({ topic, contacts }) => topic !== "identity.captured" && contacts.length === 0)).toEqual(
          [],
        );
        const created = told.filter(({ topic }) => topic === "profile.created").map(({ about }) => about);
        expect(new Set(created).size).toBe(created.length);
      }),
      { numRuns: propertyRuns(6), interruptAfterTimeLimit: propertyMs(10_000) },
    );
  }, 60_000);
});
