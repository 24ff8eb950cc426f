import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { checkShape, deliveriesOf, handOverDue, insertEndpoint } from "../../testkit/deliveries.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId } from "../../testkit/storefront.ts";

/** Payloads of events about people, from what a browser sends to the delivery. */

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let told: string;
let plain: string;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  await handOverDue(t);
  const topics = ["profile.created", "profile.updated"] as const;
  told = await insertEndpoint(t, store, { topics });
  plain = await insertEndpoint(t, store, { topics, includePii: false });
});

let ids = 0;
const take = (number: number, ...contacts: Parameters<typeof recently>[1]) => {
  const script = [
    opened({ min: 0 }),
    enter("skin", "start", { min: 0 }),
    choose("skin", "skin_type", 1, { min: 0 }),
    ...contacts,
  ];
  ids += script.length;
  const events = recently(t, script, { minutesAgo: 2, firstId: ids });
  return send(t, store, quiz, events, { session: { id: sessionId(number) } });
};
const mail = (value: string) => say("contact", "mail", value, { min: 1, consent: true });
const phone = (value: string) => say("contact", "phone", value, { min: 2 });
const timeAt = (minutesAgo: number) => new Date(t.calendar.now() - minutesAgo * 60_000).toISOString();
const personId = async (): Promise<string> =>
  (await t.request("GET", "/v1/profiles", { key: store.key })).body.data[0].id;

describe("profile.created and profile.updated", () => {
  it("tell the person as the capturing session left them, with contacts only where they are wanted [people.event-object]", async () => {
    await take(1, mail("Ann@X.example"));
    await handOverDue(t);
    const id = await personId();
    const expected = {
      id,
      created_at: timeAt(1),
      first_seen_at: timeAt(2),
      last_seen_at: timeAt(1),
      session_id: sessionId(1),
      quiz_id: quiz.id,
      identities_from_session: ["email"],
      urls: { dashboard: `http://api.test/dashboard/profiles/${id}` },
    };
    const times = { first_seen_at: timeAt(1), last_seen_at: timeAt(1) };
    const identities = [{ kind: "email", value: "ann@x.example", consent: true, ...times }];
    const [open] = await deliveriesOf(t, store, told);
    expect(open?.envelope).toMatchObject({ type: "profile.created", created: timeAt(1) });
    expect(open?.envelope.data.object).toEqual({ ...expected, identities });
    const [closed] = await deliveriesOf(t, store, plain);
    expect(closed?.envelope.data.object).toEqual(expected);
    checkShape(open?.envelope);
    checkShape(closed?.envelope);
  });

  it("fire when the set of contacts changes, and not for a contact that is known [people.events]", async () => {
    await take(1, mail("ann@x.example"));
    await take(2, mail("ANN@x.example"));
    await take(3, mail("ann@x.example"), phone("+4930123456"));
    await handOverDue(t);
    const deliveries = await deliveriesOf(t, store, told);
    expect(deliveries.map((row) => row.topic).toSorted()).toEqual(["profile.created", "profile.updated"]);
    const updated = deliveries.find((row) => row.topic === "profile.updated")?.envelope;
    checkShape(updated);
    expect(updated.data.object).toMatchObject({
      session_id: sessionId(3),
      identities_from_session: ["email", "phone"],
      identities: [{ value: "ann@x.example" }, { value: "+4930123456", consent: null }],
    });
  });

  it("are not sent of a person who was erased meanwhile [erasure.events]", async () => {
    await take(1, mail("ann@x.example"));
    await erasePersonIn(t, store, await personId());
    await handOverDue(t);
    expect(await deliveriesOf(t, store)).toEqual([]);
  });
});
