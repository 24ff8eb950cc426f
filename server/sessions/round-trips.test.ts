import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { openProxy } from "../../testkit/proxy.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { enter, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { batchOf, recently, sessionId } from "../../testkit/storefront.ts";
import { Database } from "../platform/database/database.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

/** each way, ms */
const delay = 60;

/**
 * While a group is written nothing else of its store is, and each way to the database and back is as long as the machine is
 * busy: those of a contact, of which there are the most, are as few as can be.
 */
it("of a contact to the database and back are as few as what reads another's answer [storefront.groups]", async () => {
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  const far = await openProxy(t.connection);
  const connection = { ...t.connection, host: "127.0.0.1", port: far.port };
  const intakeDatabase = new Database({ connection, size: 1, log: t.foundations.log, pipelined: true });
  const app = t.compose({ intakeDatabase });
  const take = async (number: number) => {
    const contacts = [say("contact", "mail", `m${number}@example.com`), say("contact", "phone", `+493012345${number}`)];
    const events = recently(t, [opened({ min: 0 }), enter("skin", "start", { min: 0 }), ...contacts], {
      ...{ minutesAgo: 2, firstId: 10 * number },
    });
    const payload = batchOf(t, store, quiz, events, { session: { id: sessionId(number) } });
    const before = far.roundTrips;
    const answer = await app.inject({ method: "POST", url: "/storefront/v1/events", payload });
    expect(answer.json()).toMatchObject({ accepted: 4, rejected: [] });
    return far.roundTrips - before;
  };
  // what is looked up once
  for (const number of [1, 2, 3]) await take(number);
  far.delay(delay);
  const trips = await take(4);
  far.delay(0);
  // with nothing sent behind anything there are 21
  expect(trips).toBeLessThan(8);
  await app.close();
  await intakeDatabase.close();
  await far.close();
});
