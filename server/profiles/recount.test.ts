import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId, visitorId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { mostCountedAtOnce, recountPeople } from "./recount.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

let sent = 0;
interface Visit {
  visitor?: number;
  consent?: boolean;
  field?: "mail" | "phone";
  also?: string;
}

/** A session that leaves a contact, and perhaps an email beside it. */
async function visit(value: string, { visitor = sent + 1, consent, field = "mail", also }: Visit = {}): Promise<void> {
  sent += 1;
  const script = [
    opened({ min: 0 }),
    say("contact", field, value, { min: 1, ...(consent === undefined ? {} : { consent }) }),
  ];
  if (also !== undefined) script.push(say("contact", "mail", also, { min: 2 }));
  const session = { id: sessionId(sent), visitor_id: visitorId(visitor) };
  const answer = await send(t, store, quiz, recently(t, script, { firstId: sent * 10 }), { session });
  expect([answer.status, answer.body.rejected]).toEqual([202, []]);
}

const visits = (count: number, value: string, more: Visit = {}) =>
  Promise.all(Array.from({ length: count }, () => visit(value, more)));

async function shop(): Promise<void> {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
}

const people = () =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all(sql<{ sessions_count: number; due: boolean; consent: boolean | null; contacts: number }>`
    SELECT p.sessions_count, p.due_at IS NOT NULL AS due,
      (SELECT bool_and(i.consent) FROM identities i WHERE i.store_id = ${ownStore} AND i.profile_id = p.id) AS consent,
      (SELECT count(*)::integer FROM identities i WHERE i.store_id = ${ownStore} AND i.profile_id = p.id) AS contacts
    FROM profiles p WHERE p.store_id = ${ownStore} ORDER BY p.number`);

/** As the worker does it a minute later. */
const sweep = () => {
  const { random, log } = t.foundations;
  t.calendar.advance(60_000);
  return recountPeople(t.database, { now: () => t.calendar.now(), random, log });
};

describe("a person with more sessions than anybody has", () => {
  beforeAll(shop);

  it("is counted at once up to a hundred, then by the worker [people.many-sessions]", async () => {
    await visits(mostCountedAtOnce + 1, "many@mail.example");
    const [before] = await people();
    const counted = before?.sessions_count ?? 0;
    expect(counted).toBeGreaterThan(0);
    await visit("many@mail.example");
    await visits(3, "many@mail.example");
    while ((await sweep()) > 0);
    expect(await people()).toMatchObject([{ sessions_count: mostCountedAtOnce + 5, due: false }]);
    await visit("many@mail.example");
    expect(await people()).toMatchObject([{ sessions_count: mostCountedAtOnce + 5, due: true }]);
    expect(await sweep()).toBe(1);
    expect(await people()).toMatchObject([{ sessions_count: mostCountedAtOnce + 6, due: false }]);
    expect(await sweep()).toBe(0);
  });
});

describe("a phone that very many sessions have", () => {
  beforeAll(shop);

  it("stays with its person when the visitor who brought it types it with another's email [people.many-sessions]", async () => {
    await visit("other@mail.example", { visitor: 9_001 });
    await visit("+4930100000", { visitor: 9_002, field: "phone" });
    await visits(mostCountedAtOnce, "+4930100000", { field: "phone", visitor: 9_002 });
    while ((await sweep()) > 0);
    expect(await people()).toMatchObject([{ contacts: 1 }, { contacts: 1, sessions_count: mostCountedAtOnce + 1 }]);
    await visit("+4930100000", { visitor: 9_002, field: "phone", also: "other@mail.example" });
    while ((await sweep()) > 0);
    expect(await people()).toMatchObject([
      { contacts: 1, sessions_count: 2 },
      { contacts: 1, sessions_count: mostCountedAtOnce + 1 },
    ]);
  });

  it("moves to that email while no more than a hundred have it [people.brought-phone]", async () => {
    await shop();
    await visit("other@mail.example", { visitor: 9_001 });
    await visits(5, "+4930100000", { field: "phone", visitor: 9_002 });
    await visit("+4930100000", { visitor: 9_002, field: "phone", also: "other@mail.example" });
    expect(await people()).toMatchObject([{ contacts: 2, sessions_count: 7 }]);
  });
});
