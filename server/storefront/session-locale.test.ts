import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, closed, enter, opened } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, type Sent, send, sessionId, sessionRow } from "../../testkit/storefront.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
});

const start = [opened({ min: 0 }), enter("skin", "start"), choose("skin", "skin_type", 1)];
const post = (script: typeof start, { session }: Sent, firstId = 0) =>
  send(t, store, quiz, recently(t, script, { firstId }), session ? { session } : {});

describe("the language and time zone of a session [sessions.locale]", () => {
  it("are kept as the first request reports them, and null where it does not", async () => {
    await post(start, { session: { locale: "de-at", time_zone: "Europe/Vienna" } });
    await post([closed({ seq: 9 })], { session: { locale: "fr", time_zone: "Europe/Paris" } }, 9);
    expect(await sessionRow(t, store, sessionId(1))).toMatchObject({ locale: "de-AT", time_zone: "Europe/Vienna" });
    await post(start, { session: { id: sessionId(2) } });
    expect(await sessionRow(t, store, sessionId(2))).toMatchObject({ locale: null, time_zone: null });
  });

  it.each([
    ["en-US@posix", "+02:00"],
    ["", ""],
    ["de_DE", "CET-1CEST"],
    ["*", "Etc/Unknown"],
    [null, null],
    [`en-${"x".repeat(40)}`, "Europe/Berlin ".repeat(70)],
    ["zh-\u0000Hans", "europe/berlin"],
    [`de-${"abcde-".repeat(5)}abcdefgh`, "Mars/Olympus"],
  ])("are dropped if they are none, as browsers may send them: %j, %j", async (locale, time_zone) => {
    expect((await post(start, { session: { locale, time_zone } })).body.accepted).toBe(3);
    expect(await sessionRow(t, store, sessionId(1))).toMatchObject({ locale: null, time_zone: null });
  });

  it("are taken with every name that a browser has for a zone, and with tags of every form", async () => {
    const cases = [
      ["zh-hans-cn", "Asia/Calcutta", "zh-Hans-CN"],
      ["sl-rozaj-biske-1994", "Asia/Kolkata", "sl-1994-biske-rozaj"],
      ["ar-u-nu-latn", "UTC", "ar-u-nu-latn"],
      ["en", "America/Argentina/Buenos_Aires", "en"],
    ] as const;
    for (const [index, [locale, time_zone, spelt]] of cases.entries()) {
      const id = sessionId(index + 1);
      await post(start, { session: { id, locale, time_zone } });
      expect(await sessionRow(t, store, id)).toMatchObject({ locale: spelt, time_zone });
    }
  });
});
