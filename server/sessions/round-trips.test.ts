import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
 * busy: there are as few as what reads another's answer.
 */
describe("to the database and back [storefront.groups]", () => {
  it("it takes one way to open a session and one to write it, with COMMIT behind it", async () => {
    expect(await tripsOf((_, at) => [opened({ min: 0 }), enter("skin", "start", at)])).toBe(2);
  });

  it("a contact, of which there are the most, takes three more", async () => {
    // with nothing sent behind anything there are 21
    const trips = await tripsOf((number, at) => [
      opened({ min: 0 }),
      enter("skin", "start", at),
      say("contact", "mail", `m${number}@example.com`),
      say("contact", "phone", `+493012345${number}`),
    ]);
    expect(trips).toBe(5);
  });
});

type Script = Parameters<typeof recently>[1];

/** The number of round trips that a session with these events takes, when everything is known that is looked up once. */
async function tripsOf(script: (number: number, at: { min: number }) => Script): Promise<number> {
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  const far = await openProxy(t.connection);
  const connection = { ...t.connection, host: "127.0.0.1", port: far.port };
  const intakeDatabase = new Database({ connection, size: 1, log: t.foundations.log, pipelined: true });
  const app = t.compose({ intakeDatabase });
  const take = async (number: number) => {
    const events = recently(t, script(number, { min: 0 }), { minutesAgo: 2, firstId: 10 * number });
    const payload = batchOf(t, store, quiz, events, { session: { id: sessionId(number) } });
    const before = far.roundTrips;
    const answer = await app.inject({ method: "POST", url: "/storefront/v1/events", payload });
    expect(answer.json()).toMatchObject({ accepted: events.length, rejected: [] });
    return far.roundTrips - before;
  };
  for (const number of [1, 2, 3]) await take(number);
  far.delay(delay);
  const trips = await take(4);
  await app.close();
  await intakeDatabase.close();
  await far.close();
  return trips;
}
