import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { buildersOf, deliveriesOf, handOverDue, insertEndpoint } from "../../testkit/deliveries.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send } from "../../testkit/storefront.ts";
import { EventWatch } from "./watch.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const watch = (storeId: string, includePii: boolean) =>
  new EventWatch({ database: t.database, builders: buildersOf(t), now: () => t.calendar.now(), includePii }, storeId);

it("tells each event once, as an endpoint is sent it, whether or not it was handed over [webhooks.listen, webhooks.privacy]", async () => {
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  t.calendar.advance(1_000);
  const endpoint = await insertEndpoint(t, store, {
    topics: ["quiz.started", "quiz.finished", "profile.created"],
    includePii: false,
  });
  const [open, without] = [watch(store.uuid, true), watch(store.uuid, false)];
  const script = [
    opened({ min: 0 }),
    enter("skin", "start", { min: 0 }),
    choose("skin", "skin_type", 1, { min: 0 }),
    say("age", "years", 30, { min: 1 }),
    say("contact", "mail", "ann@x.example", { min: 1, consent: true }),
    finish("result", { min: 1 }),
  ];
  await send(t, store, quiz, recently(t, script, { minutesAgo: 0 }));
  t.calendar.advance(1_000);
  const atOnce = await open.next();
  expect(atOnce.map(({ topic }) => topic).sort()).toEqual(["identity.captured", "profile.created", "quiz.started"]);
  expect(await open.next()).toEqual([]);
  await handOverDue(t);
  t.calendar.advance(61_000);
  await handOverDue(t);
  const later = await open.next();
  expect(later.map(({ topic }) => topic)).toEqual(["quiz.finished"]);
  const sent = (await deliveriesOf(t, store, endpoint)).map(({ payload }) => JSON.parse(String(payload)));
  const told = (await without.next()).map(({ body }) => JSON.parse(body));
  expect(told.map(({ type }) => type)).not.toContain("identity.captured");
  for (const envelope of sent) expect(told).toContainEqual(envelope);
  expect(JSON.stringify(told)).not.toContain("ann@x.example");
  expect(JSON.stringify([atOnce, later])).toContain("ann@x.example");
});

it("tells nothing of other stores, nor of what was before it began [webhooks.listen, api.one-store]", async () => {
  const [store, other] = [await t.store(), await t.store()];
  await makeQuiz(t, store, { document: finderDocument, publish: true });
  t.calendar.advance(1_000);
  const begun = watch(store.uuid, true);
  t.calendar.advance(1_000);
  await makeQuiz(t, other, { document: finderDocument, publish: true });
  expect(await begun.next()).toEqual([]);
});
