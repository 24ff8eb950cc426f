import { expect, it } from "vitest";
import { openTestApp } from "../../testkit/app.ts";
import { buildersOf, deliveriesOf, handOverDue, insertEndpoint } from "../../testkit/deliveries.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId } from "../../testkit/storefront.ts";
import { sweepOutbox } from "./fan-out.ts";

const rounds = 12;

it("builds no payload with the contact of a person who is erased at the same moment [erasure.events]", async () => {
  const t = await openTestApp();
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  await insertEndpoint(t, store);
  await insertEndpoint(t, store, { topics: ["quiz.finished", "profile.created"], includePii: false });
  const { random, log, calendar } = t.foundations;
  const deps = { builders: buildersOf(t), now: () => calendar.now(), random, log };
  for (let round = 0; round < rounds; round++) {
    const script = [
      opened({ min: 0 }),
      enter("skin", "start", { min: 0 }),
      choose("skin", "skin_type", 1, { min: 0 }),
      say("age", "years", 30, { min: 0 }),
      say("contact", "mail", `ann${round}@x.example`, { min: 0 }),
      say("contact", "remark", `secret ${round}`, { min: 0 }),
      finish("result", { min: 0 }),
    ];
    const events = recently(t, script, { minutesAgo: 2, firstId: round * 100 });
    expect((await send(t, store, quiz, events, { session: { id: sessionId(round + 1) } })).body.rejected).toEqual([]);
    // quiz.finished waits a minute from its arrival
    t.calendar.advance(60_000);
    const people = await t.request("GET", "/v1/profiles", { key: store.key });
    // sometimes the one, sometimes the other comes first
    const erase = () => erasePersonIn(t, store, people.body.data[0].id);
    const wait = () => new Promise((resolve) => setTimeout(resolve, round));
    const [erased] = await Promise.all([erase(), wait().then(() => sweepOutbox(t.database, deps))]);
    expect(erased).not.toBeNull();
    await handOverDue(t);
    t.passTime(10_000);
  }
  const deliveries = await deliveriesOf(t, store);
  expect(deliveries.filter((row) => row.topic === "quiz.finished")).toHaveLength(2 * rounds);
  expect(deliveries.map((row) => row.payload).join("\n")).not.toMatch(/ann\d|secret/);
  await t.close();
});
