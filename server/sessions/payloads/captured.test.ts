import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { checkShape, deliveriesOf, handOverDue, insertEndpoint, objectsOf } from "../../../testkit/deliveries.ts";
import { erasePersonIn } from "../../../testkit/erasure.ts";
import type { ScriptedEvent } from "../../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../../testkit/session-scripts.ts";
import { finderDocument } from "../../../testkit/small-quizzes.ts";
import { recently, send, sessionId } from "../../../testkit/storefront.ts";

/** identity.captured: the session as it was when a contact was left. */

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let endpoint: string;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  await handOverDue(t);
  endpoint = await insertEndpoint(t, store, { topics: ["identity.captured"] });
  script = [];
});

/** What the browser has reported so far: each call goes on where the last one ended. */
let script: ScriptedEvent[] = [];
let ids = 0;
async function take(...events: ScriptedEvent[]): Promise<void> {
  const before = script.length;
  script = [...script, ...events];
  const all = recently(t, script, { minutesAgo: 5, firstId: ids });
  const answer = await send(t, store, quiz, all.slice(before));
  expect(answer.body).toMatchObject({ accepted: events.length, rejected: [] });
}
beforeEach(() => {
  ids += 100;
});

const captured = (): Promise<Body[]> => objectsOf(t, store, "identity.captured", endpoint);
const start = [opened({ min: 0 }), enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1, { min: 1 })];
const mail = (value: string | null, min = 2) => say("contact", "mail", value, { min, consent: true });
const phone = (value: string, min = 2) => say("contact", "phone", value, { min });
const email = (value: string) => {
  return { kind: "email", value, consent: true, page_key: "contact", component_key: "mail" };
};
const number = { kind: "phone", value: "+4930123456", consent: null, page_key: "contact", component_key: "phone" };

describe("identity.captured [webhooks.identity-captured]", () => {
  it("tells the session up to the answer that left the contact, whatever has arrived since", async () => {
    await take(...start, mail("Ann@X.example"));
    await take(
      choose("skin", "skin_type", 2, { min: 3 }),
      say("age", "years", 30, { min: 3 }),
      enter("result", "next", { min: 4 }),
      finish("result", { min: 4 }),
    );
    await handOverDue(t);
    const [delivery] = await deliveriesOf(t, store, endpoint);
    checkShape(delivery?.envelope);
    const object: Body = delivery?.envelope.data.object;
    expect(object).toMatchObject({
      id: sessionId(1),
      identity: email("ann@x.example"),
      identities: [email("ann@x.example")],
      answered_count: 2,
      completed_at: null,
      ended_at: null,
      terminal_page: null,
      products_shown: [],
      last_page: { page_key: "contact" },
      points: [{ total: 2 }, { total: 0 }],
      formulas: [],
    });
    expect(object.answers.skin_type.option_ids).toEqual(["skin_type_1"]);
    expect(object.answers.mail.value).toBe("Ann@X.example");
    expect(Object.keys(object.answers)).toEqual(["skin_type", "mail"]);
    expect(delivery?.session_id).not.toBeNull();
  });

  it("is no finish, but tells of one that came before it", async () => {
    await take(
      ...start,
      say("age", "years", 30, { min: 2 }),
      enter("result", "next", { min: 3 }),
      finish("result", { min: 3 }),
    );
    await take(mail("ann@x.example", 4));
    await handOverDue(t);
    expect(await captured()).toMatchObject([
      { terminal_page: { page_key: "result" }, completed_at: expect.any(String), formulas: [{ value: 60 }] },
    ]);
  });

  it("is sent once for each distinct value of a session", async () => {
    await take(...start, mail("ann@x.example"));
    await handOverDue(t);
    t.calendar.advance(1);
    await take(phone("+49 30 123456"), mail("ANN@x.example", 3), mail("ann@x.example ", 4));
    await handOverDue(t);
    expect((await captured()).map((object) => object.identity.value)).toEqual(["ann@x.example", number.value]);
    expect((await captured())[1]).toMatchObject({ identity: number, identities: [email("ann@x.example"), number] });
  });

  it("does not send a value that was replaced before its delivery was built, nor anywhere beside another", async () => {
    await take(...start, mail("anm@x.example"));
    await take(phone("+4930123456", 3));
    await take(mail("ann@x.example", 4));
    await handOverDue(t);
    const deliveries = await deliveriesOf(t, store, endpoint);
    expect(deliveries.map((row) => row.envelope.data.object.identity.value)).toEqual([number.value, "ann@x.example"]);
    expect(deliveries.map((row) => row.payload).join()).not.toContain("anm@");
    expect((await captured())[0]).toMatchObject({ identities: [number], answered_count: 3 });
  });

  it("does not send a value that was cleared, and sends one that was typed again", async () => {
    await take(...start, mail("ann@x.example"));
    await take(mail(null, 3));
    await handOverDue(t);
    expect(await captured()).toEqual([]);
    t.calendar.advance(1);
    await take(...[phone("+4930123456", 3), mail("bob@x.example", 4)]);
    await take(mail("eve@x.example", 4), mail("BOB@x.example", 5));
    await handOverDue(t);
    const values = (await captured()).map((object) => object.identity.value);
    expect(values).toEqual([number.value, "bob@x.example"]);
  });

  it("sends a contact whose box was left unticked", async () => {
    await take(...start, say("contact", "mail", "ann@x.example", { min: 2, consent: false }));
    await handOverDue(t);
    expect(await captured()).toMatchObject([{ identity: { consent: false }, identities: [{ consent: false }] }]);
  });

  it("does not send a contact that was erased before its delivery was built [erasure.events]", async () => {
    await take(...start, mail("ann@x.example"));
    const people = await t.request("GET", "/v1/profiles", { key: store.key });
    await erasePersonIn(t, store, people.body.data[0].id);
    await handOverDue(t);
    expect(await captured()).toEqual([]);
  });

  it("tells of a value that has moved to another field since", async () => {
    const document = structuredClone(finderDocument);
    const [field] = document.pages[3]?.components ?? [];
    if (field?.kind === "email") document.pages[3]?.components.push({ ...field, component_key: "other" });
    quiz = await makeQuiz(t, store, { document, publish: true });
    await take(...start, mail("ann@x.example"));
    await take(mail("bob@x.example", 3), say("contact", "other", "Ann@x.example", { min: 4, consent: true }));
    await handOverDue(t);
    expect(await captured()).toMatchObject([
      { identity: email("ann@x.example"), identities: [email("ann@x.example")] },
      { identity: email("bob@x.example"), identities: [email("bob@x.example")] },
    ]);
  });
});
