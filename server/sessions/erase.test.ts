import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument, finderQuiz } from "../../testkit/small-quizzes.ts";
import { batchOf, recently, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import type { KeptEvent } from "./kept-event.ts";
import { reduceSession } from "./reduce.ts";
import { readEventPages } from "./rows.ts";
import type { SessionState } from "./state.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const script = [
  opened(),
  enter("skin", "start"),
  choose("skin", "skin_type", 3),
  { ...choose("skin", "skin_type", 3), value: "typed beside" },
  enter("contact", "jump", { jump_rule_key: "straight" }),
  say("contact", "mail", "ann@x.example", { consent: true }),
  say("contact", "mail", null),
  say("contact", "mail", "bob@x.example"),
  say("contact", "remark", "secret"),
  say("contact", "remark", " "),
  enter("result"),
  finish("result"),
];

async function keptEvents(store: TestStore, sessionUuid: string): Promise<KeptEvent[]> {
  const events: KeptEvent[] = [];
  const pages = readEventPages(t.database.reader().forStore(store.uuid), sessionUuid);
  for await (const page of pages) events.push(...page);
  return events;
}

/** Of a session whose answers were erased nothing is kept to go on from. */
const withoutFold = (state: Partial<SessionState> | undefined): object => {
  const { fold: _, ...rest } = state ?? {};
  return rest;
};

const personOf = async (key: string) => (await t.request("GET", "/v1/profiles", { key })).body.data[0]?.id;

it("leaves the state that erased events reduce to [erasure.counts]", async () => {
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  expect((await send(t, store, quiz, recently(t, script))).body).toMatchObject({ rejected: [] });
  const before = (await sessionRow(t, store, sessionId(1)))?.state;
  await erasePersonIn(t, store, await personOf(store.key));
  const row = await sessionRow(t, store, sessionId(1));
  const events = await keptEvents(store, row?.id ?? "");
  const reduced = reduceSession({
    quiz: finderQuiz,
    events,
    country: null,
    now: t.calendar.now(),
  }).state;
  expect(row?.state).toEqual(withoutFold(reduced));
  expect(row?.state).toMatchObject({ answered_count: before?.answered_count, completed_at: before?.completed_at });
  expect(JSON.stringify(events)).not.toMatch(/ann|bob|secret|typed/);
});

it("loses no event that comes in while its person is erased, and brings nothing back [erasure.counts, erasure.answers]", async () => {
  for (let round = 0; round < 5; round++) {
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const first = recently(t, script);
    await send(t, store, quiz, first);
    const person = await personOf(store.key);
    const more = recently(
      t,
      Array.from({ length: 20 }, (_, index) =>
        say("contact", "remark", `later ${index}`, { seq: 100 + index, min: 1 }),
      ),
      { firstId: 500 },
    );
    const submit = (part: unknown[]) =>
      t.request("POST", "/storefront/v1/events", { body: batchOf(t, store, quiz, part) });
    const sent = more.map((event) => submit([event, first[5]]));
    const erased = erasePersonIn(t, store, person);
    for (const answer of await Promise.all(sent)) expect(answer.body).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(await erased).not.toBeNull();
    const row = await sessionRow(t, store, sessionId(1));
    const events = await keptEvents(store, row?.id ?? "");
    expect(events).toHaveLength(script.length + 20);
    expect(JSON.stringify([row?.state, events])).not.toMatch(/@x\.example|secret/);
    const reduced = reduceSession({
      quiz: finderQuiz,
      events,
      country: null,
      now: t.calendar.now(),
    }).state;
    expect(withoutFold(row?.state)).toEqual(withoutFold(reduced));
    expect((await t.request("GET", "/v1/profiles", { key: store.key })).body.data).toEqual([]);
  }
});
