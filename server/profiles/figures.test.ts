import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import {
  insertOrder,
  openStoreOfPeople,
  peopleOpened,
  resolveContacts,
  type StoreOfPeople,
} from "../../testkit/people.ts";
import { sql } from "../platform/database/sql.ts";

let t: TestApp;
let store: string;
let session: StoreOfPeople["session"];
let resolve: StoreOfPeople["resolve"];
const opened = peopleOpened;

beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  ({ store, session, resolve } = await openStoreOfPeople(t));
});

const db = () => t.database.reader();
const a = { email: "a@x.test" };
const b = { email: "b@x.test" };
const p = { phone: "+4915112345678" };

describe("figures of people", () => {
  const figures = () =>
    db().first<Record<string, unknown>>(sql`
    SELECT sessions_count, completed_count, visits_count, first_seen_at, last_seen_at, cardinality(quiz_ids) AS quizzes
    FROM profiles WHERE store_id = ${store}`);

  it("counts sessions less than 30 minutes apart as one visit [people.visits, people.figures]", async () => {
    const minute = 60_000;
    const last = opened + 40 * minute;
    const [s1, s2, s3, s4] = [
      await session({ lastEventAt: last }),
      // inside the first one, over before it
      await session({ openedAt: opened + 5 * minute, lastEventAt: opened + 6 * minute, status: "completed" }),
      await session({ openedAt: last + 30 * minute - 1 }),
      await session({ openedAt: last + 60 * minute - 1 }),
    ];
    await resolve({ [s1]: [a], [s2]: [a], [s3]: [a] });
    expect(await figures()).toMatchObject({ sessions_count: 3, completed_count: 1, visits_count: 1, quizzes: 1 });
    await resolve({ [s4]: [a] });
    expect(await figures()).toMatchObject({
      sessions_count: 4,
      visits_count: 2,
      first_seen_at: new Date(opened),
      last_seen_at: new Date(last + 60 * minute - 1),
    });
  });

  it("counts again when a session of a person goes on, without a contact of its own being typed [people.figures]", async () => {
    const s = await session();
    await resolve({ [s]: [a] });
    await db().all(
      sql`UPDATE sessions SET status = 'completed', last_event_at = ${new Date(opened + 1000)} WHERE store_id = ${store} AND id = ${s}`,
    );
    const { changes, events } = await resolveContacts(t.foundations, store, {}, [s]);
    expect(events).toEqual([]);
    expect(changes).toHaveLength(1);
    expect(await figures()).toMatchObject({ completed_count: 1, last_seen_at: new Date(opened + 1000) });
  });

  const consents = async () =>
    Object.fromEntries(
      (
        await db().all<{ value: string; consent: boolean | null }>(
          sql`SELECT value, consent FROM identities WHERE store_id = ${store} ORDER BY value`,
        )
      ).map(({ value, consent }) => [value, consent]),
    );

  it("takes consent from the newest answered field of a kind across sessions [people.consent]", async () => {
    const visitorId = randomUUID();
    const [s1, s2] = [await session({ visitorId }), await session({ visitorId })];
    await resolve({
      [s1]: [
        { ...a, consent: true, at: opened },
        { ...p, consent: true, at: opened },
      ],
    });
    await resolve({ [s2]: [{ ...a, consent: false, at: opened + 5 }] });
    const rows = await db().all(
      sql`SELECT kind, consent, first_seen_at, last_seen_at FROM identities WHERE store_id = ${store} ORDER BY kind`,
    );
    expect(rows).toEqual([
      { kind: "email", consent: false, first_seen_at: new Date(opened), last_seen_at: new Date(opened + 5) },
      { kind: "phone", consent: true, first_seen_at: new Date(opened), last_seen_at: new Date(opened) },
    ]);
    await resolve({ [s2]: [{ ...a, consent: true, at: opened + 9 }] });
    expect(await consents()).toEqual({ [a.email]: true, [p.phone]: true });
  });

  it("lets nobody give consent for a contact that another visitor brought; to take it back anybody may [people.consent-of-strangers]", async () => {
    const [s1, s2, s3] = [await session(), await session(), await session()];
    await resolve({ [s1]: [{ ...a, consent: false, at: opened }] });
    await resolve({ [s2]: [{ ...a, consent: true, at: opened + 5 }] });
    expect(await consents()).toEqual({ [a.email]: false });
    await resolve({ [s1]: [{ ...a, consent: true, at: opened + 7 }] });
    expect(await consents()).toEqual({ [a.email]: true });
    await resolve({ [s3]: [{ ...a, consent: false, at: opened + 9 }] });
    expect(await consents()).toEqual({ [a.email]: false });
  });

  it("changes no consent of contacts that a stranger did not type [people.consent-of-strangers]", async () => {
    const [s1, s2] = [await session(), await session()];
    const own = { ...a, field: "own", consent: true, at: opened };
    await resolve({ [s1]: [own, { ...b, field: "second", consent: true, at: opened }] });
    await resolve({ [s2]: [{ ...a, consent: false, at: opened + 5 }] });
    expect(await consents()).toEqual({ [a.email]: false, [b.email]: true });
  });

  it("takes a box for consent once an order carries the contact and names the browser [people.consent-of-strangers]", async () => {
    const visitorId = randomUUID();
    const [s1, s2] = [await session(), await session({ visitorId })];
    await resolve({ [s1]: [{ ...a, consent: false, at: opened }] });
    await resolve({ [s2]: [{ ...a, consent: true, at: opened + 5 }] });
    await insertOrder(db(), store, [
      { tier: "visitor", value: visitorId },
      { tier: "email", value: a.email },
    ]);
    await resolve({ [s2]: [{ ...a, consent: true, at: opened + 6 }] });
    expect(await consents()).toEqual({ [a.email]: true });
  });
});
