import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { insertOrder, openStoreOfPeople, peopleOpened, type StoreOfPeople } from "../../testkit/people.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

let t: TestApp;
let store: string;
let quiz: StoreOfPeople["quiz"];
let session: StoreOfPeople["session"];
let resolve: StoreOfPeople["resolve"];
const opened = peopleOpened;

beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  ({ store, quiz, session, resolve } = await openStoreOfPeople(t));
});

const db = () => t.database.reader();
const a = { email: "a@x.test" };
const b = { email: "b@x.test" };
const p = { phone: "+4915112345678" };

/** Contacts by person, and sessions by person. */
async function people(): Promise<Record<string, { contacts: string[]; sessions: string[] }>> {
  const rows = await db()
    .forStore(store)
    .all<{ id: string; contacts: string[]; sessions: string[] }>(sql`
    SELECT p.id,
      ARRAY(SELECT i.value FROM identities i WHERE i.store_id = ${ownStore} AND i.profile_id = p.id ORDER BY i.value) AS contacts,
      ARRAY(SELECT s.id::text FROM sessions s WHERE s.store_id = ${ownStore} AND s.profile_id = p.id ORDER BY s.id) AS sessions
    FROM profiles p WHERE p.store_id = ${ownStore} ORDER BY p.number`);
  return Object.fromEntries(rows.map(({ id, ...person }) => [id, person]));
}

/** What is kept of merges, with the contacts that came by each. */
async function records() {
  return db()
    .forStore(store)
    .all(sql`
    SELECT m.from_id AS "from", m.into_id AS "into", m.confirmed_by AS "by", m.gone_created_at IS NOT NULL AS gone,
      ARRAY(SELECT i.value FROM identities i WHERE i.store_id = ${ownStore} AND i.merge_id = m.id) AS held
    FROM person_merges m WHERE m.store_id = ${ownStore} ORDER BY m.merged_at`);
}

const topics = (events: readonly { topic: string }[]) => events.map((event) => event.topic).sort();

describe("who is who", () => {
  it("makes a new person of an unknown contact, and attaches a second one [people.new-person, people.attached-contact, people.events]", async () => {
    const s = await session();
    const first = await resolve({ [s]: [a] });
    expect(topics(first.events)).toEqual(["identity.captured", "profile.created"]);
    const second = await resolve({ [s]: [a, p] });
    expect(topics(second.events)).toEqual(["identity.captured", "profile.updated"]);
    const [id] = Object.keys(await people());
    expect(await people()).toEqual({ [id!]: { contacts: [p.phone, a.email], sessions: [s] } });
    expect(second.changes).toEqual(expect.arrayContaining([{ kind: "profile", id }]));
    expect(first.changes).toEqual(
      expect.arrayContaining([
        { kind: "session", id: s },
        { kind: "profile", id },
      ]),
    );
  });

  it("joins a session to the person of a known contact without profile.updated [people.known-contact, people.events]", async () => {
    const [s1, s2] = [await session(), await session({ openedAt: opened + 60_000 })];
    await resolve({ [s1]: [a] });
    const again = await resolve({ [s2]: [a] });
    expect(topics(again.events)).toEqual(["identity.captured"]);
    expect(Object.values(await people())).toEqual([{ contacts: [a.email], sessions: [s1, s2].sort() }]);
  });

  it("leaves two people as they are whose contacts somebody only typed together [people.typed-contact]", async () => {
    const [s1, s2, s3, s4] = [await session(), await session(), await session(), await session()];
    await resolve({ [s1]: [p] });
    await resolve({ [s2]: [a] });
    const before = await people();
    const typed = await resolve({ [s3]: [p, a] });
    expect(topics(typed.events)).toEqual(["identity.captured", "identity.captured"]);
    await resolve({ [s4]: [a, p] });
    const [phones, emails] = Object.keys(before);
    expect(await people()).toEqual({
      [phones!]: { contacts: [p.phone], sessions: [s1] },
      [emails!]: { contacts: [a.email], sessions: [s2, s3, s4].sort() },
    });
    expect(await records()).toEqual([]);
  });

  it("leaves a phone where it is that another's new email came with [people.typed-contact]", async () => {
    const [s1, s2] = [await session(), await session()];
    await resolve({ [s1]: [b, p] });
    const { events } = await resolve({ [s2]: [a, p] });
    expect(topics(events)).toEqual(["identity.captured", "identity.captured", "profile.created"]);
    expect(Object.values(await people())).toEqual([
      { contacts: [p.phone, b.email], sessions: [s1] },
      { contacts: [a.email], sessions: [s2] },
    ]);
  });

  it("moves no phone to a visitor who typed it in an earlier session, but did not bring it [people.typed-contact]", async () => {
    const visitorId = randomUUID();
    const [s1, s2, s3] = [await session(), await session({ visitorId }), await session({ visitorId })];
    await resolve({ [s1]: [b, p] });
    await resolve({ [s2]: [p] });
    await resolve({ [s3]: [a, p] });
    expect(Object.values(await people())).toEqual([
      { contacts: [p.phone, b.email], sessions: [s1, s2].sort() },
      { contacts: [a.email], sessions: [s3] },
    ]);
  });

  it("moves the phone of the visitor who brought it, and leaves the other the rest [people.brought-phone]", async () => {
    const visitorId = randomUUID();
    const [s1, s2, s3] = [await session({ visitorId }), await session(), await session({ visitorId })];
    await resolve({ [s1]: [b, p] });
    await resolve({ [s2]: [a] });
    const { events } = await resolve({ [s3]: [a, p] });
    expect(topics(events)).toEqual(["identity.captured", "identity.captured", "profile.updated", "profile.updated"]);
    expect(Object.values(await people())).toEqual([
      { contacts: [b.email], sessions: [s1] },
      { contacts: [p.phone, a.email], sessions: [s2, s3].sort() },
    ]);
    const [left, joined] = Object.keys(await people());
    expect(await records()).toEqual([{ from: left, into: joined, by: "visitor", gone: false, held: [p.phone] }]);
  });

  it("merges a person whom the moved phone leaves without contact: its sessions follow [people.merge]", async () => {
    const visitorId = randomUUID();
    const [s1, s2, s3] = [await session({ visitorId }), await session(), await session({ visitorId })];
    await resolve({ [s1]: [p] });
    await resolve({ [s2]: [a] });
    const [phones, emails] = Object.keys(await people());
    const { changes, events } = await resolve({ [s3]: [p, a] });
    expect(topics(events)).toEqual(["identity.captured", "identity.captured", "profile.updated"]);
    expect(await people()).toEqual({ [emails!]: { contacts: [p.phone, a.email], sessions: [s1, s2, s3].sort() } });
    expect(changes).toEqual(
      expect.arrayContaining([
        { kind: "profile", id: phones },
        { kind: "session", id: s1 },
      ]),
    );
    const row = await db().first(sql`SELECT sessions_count FROM profiles WHERE store_id = ${store} AND id = ${emails}`);
    expect(row).toEqual({ sessions_count: 3 });
    expect(await records()).toEqual([{ from: phones, into: emails, by: "visitor", gone: true, held: [p.phone] }]);
  });

  it("merges them where an order carries both, whoever types them [people.order-confirms]", async () => {
    const [s1, s2, s3] = [await session(), await session(), await session()];
    await resolve({ [s1]: [p] });
    await resolve({ [s2]: [a] });
    const [phones, emails] = Object.keys(await people());
    await insertOrder(db(), store, [
      { tier: "email", value: a.email },
      { tier: "phone", value: p.phone },
    ]);
    await resolve({ [s3]: [a, p] });
    expect(Object.keys(await people())).toEqual([emails]);
    expect(await records()).toEqual([{ from: phones, into: emails, by: "order", gone: true, held: [p.phone] }]);
  });

  it("takes of an order's contacts the first of each kind, which are the buyer's [people.order-confirms]", async () => {
    const [s1, s2, s3] = [await session(), await session(), await session()];
    await resolve({ [s1]: [p] });
    await resolve({ [s2]: [a] });
    const other = { tier: "phone", value: "+491709999999" } as const;
    await insertOrder(db(), store, [{ tier: "email", value: a.email }, other, { tier: "phone", value: p.phone }]);
    await resolve({ [s3]: [a, p] });
    expect(Object.keys(await people())).toHaveLength(2);
  });

  it("knows a phone as brought by who brought it last, where it was given up in between [people.brought-phone]", async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const [s1, s2, s3] = [await session({ visitorId: first }), await session({ visitorId: second }), await session()];
    await resolve({ [s1]: [a, p] });
    await resolve({ [s2]: [a] });
    // given up and brought again at once, to the same person
    await resolve({ [s1]: [a, { ...p, current: false }], [s2]: [a, p] });
    await resolve({ [s3]: [b] });
    await resolve({ [await session({ visitorId: first })]: [b, p] });
    expect(Object.values(await people()).map(({ contacts }) => contacts)).toEqual([[p.phone, a.email], [b.email]]);
    await resolve({ [await session({ visitorId: second })]: [b, p] });
    expect(Object.values(await people()).map(({ contacts }) => contacts)).toEqual([[a.email], [p.phone, b.email]]);
  });

  it("holds at most 20 contacts of a kind; those that come after are the session's alone [people.most-contacts]", async () => {
    const sessions: string[] = [];
    for (let number = 0; number < 23; number++) {
      const id = await session();
      sessions.push(id);
      const { events } = await resolve({ [id]: [a, { phone: `+49151000000${10 + number}` }] });
      const known = number < 20 ? ["profile.updated"] : [];
      expect(topics(events).filter((topic) => topic !== "identity.captured")).toEqual(
        number === 0 ? ["profile.created", "profile.updated"] : known,
      );
      expect(JSON.stringify(events).length).toBeLessThan(9_000);
    }
    const [person] = Object.values(await people());
    expect(person?.contacts).toHaveLength(21);
    expect(person?.sessions).toEqual(sessions.toSorted());
    expect(
      await db().first(sql`SELECT count(*)::integer AS n FROM captures WHERE store_id = ${store} AND kind = 'phone'`),
    ).toEqual({ n: 23 });
    // one that makes room is replaced
    const last = sessions.at(-1);
    await resolve({ [last!]: [a, { phone: "+4915100000010" }] });
    expect(Object.values(await people())).toEqual([person]);
  });

  it("replaces a corrected value that only this session had brought [people.corrected-value]", async () => {
    const s = await session();
    await resolve({ [s]: [a] });
    const [id] = Object.keys(await people());
    const { events } = await resolve({ [s]: [{ ...a, current: false }, b] });
    expect(topics(events)).toEqual(["identity.captured", "profile.updated"]);
    expect(await people()).toEqual({ [id!]: { contacts: [b.email], sessions: [s] } });
  });

  it("keeps a corrected value that another session brought too, beside the new one [people.corrected-value]", async () => {
    const [s1, s2] = [await session(), await session()];
    await resolve({ [s1]: [a] });
    await resolve({ [s2]: [a] });
    await resolve({ [s2]: [{ ...a, current: false }, b] });
    expect(Object.values(await people())).toEqual([{ contacts: [a.email, b.email], sessions: [s1, s2].sort() }]);
  });

  it("says the same of two values of a field that arrive at once as of one after the other [people.any-arrival]", async () => {
    const [s1, s2] = [await session(), await session()];
    await resolve({ [s1]: [a] });
    await resolve({ [s2]: [{ ...a, current: false }, b] });
    expect(Object.values(await people())).toEqual([{ contacts: [a.email, b.email], sessions: [s1, s2].sort() }]);
  });

  it("says the same of two values of a field that claim one place [people.any-arrival]", async () => {
    const [s1, s2] = [await session(), await session()];
    await resolve({ [s1]: [a] });
    await resolve({
      [s2]: [
        { ...a, field: "mail", seq: 3, current: false },
        { ...b, field: "mail", seq: 3 },
      ],
    });
    expect(Object.values(await people())).toEqual([{ contacts: [a.email, b.email], sessions: [s1, s2].sort() }]);
  });

  it("parts nobody for a contact that comes late: who was made or joined by what came first stays so [people.late-contacts]", async () => {
    const [s1, s2, s3] = [await session(), await session(), await session()];
    await resolve({ [s1]: [a] });
    await resolve({ [s2]: [b] });
    // in order the session would have been the first one's, and its second contact too
    await resolve({ [s2]: [{ ...a, current: false }, b] });
    const two = [
      { contacts: [a.email], sessions: [s1] },
      { contacts: [b.email], sessions: [s2] },
    ];
    expect(Object.values(await people())).toEqual(two);
    // in order the email would have made somebody new
    await resolve({ [s1]: [a, p] });
    await resolve({ [s3]: [p] });
    await resolve({ [s3]: [{ email: "c@x.test" }, p] });
    expect(Object.values(await people())).toEqual([
      { contacts: [p.phone, a.email, "c@x.test"], sessions: [s1, s3].sort() },
      two[1],
    ]);
  });

  it("follows a correction to the person who holds the new value [people.corrected-value]", async () => {
    const [s1, s2] = [await session(), await session()];
    await resolve({ [s1]: [a] });
    await resolve({ [s2]: [b] });
    const { events } = await resolve({ [s2]: [{ ...b, current: false }, a] });
    expect(topics(events)).toEqual(["identity.captured"]);
    expect(Object.values(await people())).toEqual([{ contacts: [a.email], sessions: [s1, s2].sort() }]);
  });

  it("lets a person go whose only contact is cleared; the session belongs to nobody [people.cleared-contact]", async () => {
    const s = await session();
    await resolve({ [s]: [a] });
    const [id] = Object.keys(await people());
    const { changes, events } = await resolve({ [s]: [{ ...a, current: false }] });
    expect(events).toEqual([]);
    expect(await people()).toEqual({});
    expect(changes).toEqual(
      expect.arrayContaining([
        { kind: "profile", id },
        { kind: "session", id: s },
      ]),
    );
  });

  it("tells of each value of a session once, also when it is typed again [people.events]", async () => {
    const s = await session();
    await resolve({ [s]: [a] });
    const corrected = [{ ...a, current: false }, { ...b }];
    await resolve({ [s]: corrected });
    const back = await resolve({
      [s]: [
        { ...a, current: false },
        { ...b, current: false },
        { ...a, seq: 5 },
      ],
    });
    expect(topics(back.events)).toEqual(["profile.updated"]);
    const row = await db().first<{ emitted: string[] }>(
      sql`SELECT emitted FROM sessions WHERE store_id = ${store} AND id = ${s}`,
    );
    expect(row?.emitted).toEqual(["identity.captured:evt_0", "identity.captured:evt_1"]);
  });

  it("stays silent about sessions that emit nothing [people.events]", async () => {
    const s = await session({ emits: false });
    const { events } = await resolve({ [s]: [a, p] });
    expect(events).toEqual([]);
    expect(Object.values(await people())).toHaveLength(1);
  });

  it("carries what payloads are built from [people.event-object]", async () => {
    const s = await session();
    const at = opened + 60_000;
    const { events } = await resolve({ [s]: [{ ...a, consent: false, at }] });
    const [captured, created] = events;
    expect(captured).toMatchObject({
      topic: "identity.captured",
      created: new Date(at),
      quizId: quiz.quizId,
      sessionId: s,
      data: {
        event_id: "evt_0",
        identity: { kind: "email", value: a.email, consent: false, page_key: "contact", component_key: "email" },
      },
    });
    expect(created).toMatchObject({
      topic: "profile.created",
      quizId: quiz.quizId,
      sessionId: s,
      data: {
        first_seen_at: "2026-03-10T10:00:00.000Z",
        last_seen_at: "2026-03-10T10:00:00.000Z",
        identities_from_session: ["email"],
        identities: [{ kind: "email", value: a.email, consent: false, first_seen_at: "2026-03-10T10:01:00.000Z" }],
      },
    });
  });

  it("changes nothing and tells nobody when nothing new was captured [people.events]", async () => {
    const s = await session();
    await resolve({ [s]: [a, p] });
    const before = await people();
    const { changes, events } = await resolve({ [s]: [a, p] });
    expect([changes, events]).toEqual([[], []]);
    expect(await people()).toEqual(before);
  });
});
