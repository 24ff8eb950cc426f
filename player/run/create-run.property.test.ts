import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import { reduceSession } from "../../server/sessions/reduce.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { arbitraryDocument } from "../../testkit/documents.ts";
import { outcomeDocument } from "../../testkit/outcome-documents.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import {
  arbitraryActions,
  playerShowed,
  serverSaw,
  type WalkedSession,
  WalkingShopper,
} from "../../testkit/shopper-walks.ts";
import { finderDocument, surveyDocument } from "../../testkit/small-quizzes.ts";
import { send, sessionId, sessionRow } from "../../testkit/storefront.ts";

const arbitraryWalk = (maxActions: number) =>
  fc.record({
    document: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(finderDocument, surveyDocument) },
      { weight: 4, arbitrary: arbitraryDocument().filter(({ pages }) => pages.length > 0) },
    ),
    actions: arbitraryActions(maxActions),
  });

function walked({
  document,
  actions,
}: {
  document: typeof finderDocument;
  actions: Parameters<WalkingShopper["do"]>[0][];
}) {
  const quiz = compileQuiz(document);
  const shopper = new WalkingShopper(quiz);
  for (const action of actions) shopper.do(action);
  return { quiz, sessions: shopper.sessions };
}

/** The sessions of a walk, each of which the server's reducer makes of its events as the shopper saw it. */
function sameToBoth(walk: Parameters<typeof walked>[0]) {
  const { quiz, sessions } = walked(walk);
  return sessions.map((session) => {
    const { events } = session;
    const { state, rejections } = reduceSession({ quiz, events, country: null, now: events.at(-1)?.time ?? 0 });
    expect(serverSaw(state, session)).toEqual(playerShowed(quiz, session));
    for (const reason of rejections.values()) expect(allowed(session)).toContain(reason);
    return { session, state };
  });
}

/** Finishes that came before an answer was there, and Back and Skip past 30 idle minutes after the finish. */
const allowed = ({ isLate }: WalkedSession) => (isLate ? ["incomplete", "timed_out"] : ["incomplete"]);

describe("a random walk through a random quiz", () => {
  it("of which points, winners and formulas decide is the same to both [player.engine-decides, engine.hidden-components]", () => {
    const drawn = fc.record({
      document: outcomeDocument().filter(({ pages }) => pages.length > 0),
      actions: arbitraryActions(60),
    });
    let finished = 0;
    fc.assert(
      fc.property(drawn, (walk) => {
        for (const { state } of sameToBoth(walk)) if (state.status === "completed") finished += 1;
      }),
      { numRuns: 300, seed: 20261128 },
    );
    expect(finished).toBeGreaterThan(60);
  });

  it("is to the server's reducer what it was to the shopper [player.engine-decides, player.retold]", () => {
    let finished = 0;
    let retold = 0;
    fc.assert(
      fc.property(arbitraryWalk(60), (walk) => {
        for (const { session, state } of sameToBoth(walk)) {
          if (state.status === "completed") finished += 1;
          if (session.pages === null) retold += 1;
        }
      }),
      { numRuns: 300, seed: 20261123 },
    );
    // so that the walks stay worth their name
    expect([finished > 100, retold > 20]).toEqual([true, true]);
  });
});

describe("a random walk that is sent to the server", () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await openTestApp();
  });
  afterAll(() => t.close());

  it("is in the stored session what it was to the shopper [player.engine-decides]", async () => {
    const store = await t.store();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryWalk(40), async (walk) => {
        const { quiz, sessions } = walked(walk);
        const made = await makeQuiz(t, store, { document: walk.document, publish: true });
        for (const session of sessions) {
          const id = sessionId(++number);
          // a shopper of this very hour
          const shift = t.calendar.now() - (session.events.at(-1)?.time ?? 0);
          const events = session.events.map(({ time, ...event }) => ({
            ...event,
            at: new Date(time + shift).toISOString(),
          }));
          const reasons: string[] = [];
          for (let at = 0; at < events.length; at += 7) {
            const { status, body } = await send(t, store, made, events.slice(at, at + 7), { session: { id } });
            expect(status).toBe(202);
            reasons.push(...body.rejected.map((one: { reason: string }) => one.reason));
          }
          const row = await sessionRow(t, store, id);
          expect(row && serverSaw(row.state, session)).toEqual(playerShowed(quiz, session));
          for (const reason of reasons) expect(allowed(session)).toContain(reason);
        }
      }),
      { numRuns: 40, seed: 20261124 },
    );
  });
});
