import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { arbitraryDocument } from "../../testkit/documents.ts";
import { arbitraryHistory, type TimedEvent } from "../../testkit/histories.ts";
import { modelSession } from "../../testkit/session-model.ts";
import { finderQuiz, surveyQuiz } from "../../testkit/small-quizzes.ts";
import { checkEvent } from "./check.ts";
import { type Fold, foldOf, goesOn } from "./fold.ts";
import { comparePlaces, idleMs, inOrder } from "./kept-event.ts";
import { continueSession, reduceSession, reduceYielding, Yielder } from "./reduce.ts";
import type { Reduction, SessionState } from "./state.ts";

interface Case {
  quiz: Quiz;
  events: TimedEvent[];
  now: number;
}

const arbitraryQuiz: fc.Arbitrary<Quiz> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(finderQuiz, surveyQuiz) },
  {
    weight: 2,
    arbitrary: arbitraryDocument()
      .filter((document) => document.pages.length > 0)
      .map(compileQuiz),
  },
);

/** A history and a moment at or after its last event. */
const arbitraryCase: fc.Arbitrary<Case> = arbitraryQuiz.chain((quiz) =>
  fc.tuple(arbitraryHistory(quiz), fc.constantFrom(0, 1, idleMs - 1, idleMs, 2 * idleMs)).map(([events, later]) => {
    return { quiz, events, now: Math.max(...events.map((event) => event.time)) + later };
  }),
);

/** The reducer's outcome in the model's words. */
function inTheModelsWords({ state, rejections }: Reduction): ReturnType<typeof modelSession> {
  return {
    status: state.status,
    reason: state.end_reason,
    opened: state.opened_at,
    started: state.started_at,
    completed: state.completed_at,
    ended: state.ended_at,
    pages: Object.fromEntries(
      state.visits.map((visit) => {
        return [visit.page_key, { entries: visit.entries, byJump: visit.entries_by_jump, ms: visit.time_ms }];
      }),
    ),
    moves: state.moves
      .flatMap((move) =>
        Array<string>(move.times).fill(
          `${move.from_page_key} > ${move.to_page_key} (${move.cause}, ${move.jump_rule_key})`,
        ),
      )
      .sort(),
    exitPage: state.exit?.page_key ?? null,
    exitReason: state.exit?.reason ?? null,
    lastPage: state.last_page_key,
    distinctPages: state.pages_visited,
    rejected: Object.fromEntries(rejections),
  };
}

function checkBalance(state: SessionState): void {
  for (const { page_key, entries } of state.visits) {
    const sum = (moves: SessionState["moves"]) => moves.reduce((times, move) => times + move.times, 0);
    const out = sum(state.moves.filter((move) => move.from_page_key === page_key));
    const into = sum(state.moves.filter((move) => move.to_page_key === page_key));
    const first = state.visits[0]?.page_key === page_key ? 1 : 0;
    expect(entries).toBe(out + (state.exit?.page_key === page_key ? 1 : 0));
    expect(entries).toBe(into + first);
  }
  expect(state.exit === null).toBe(state.visits.length === 0);
}

const runs = { numRuns: 600 };

describe("reduceSession", () => {
  it("agrees with the naive model [sessions.event-set]", () => {
    fc.assert(
      fc.property(arbitraryCase, ({ quiz, events, now }) => {
        const reduction = reduceSession({ quiz, events, country: null, now });
        const model = modelSession(quiz, events, now);
        expect(inTheModelsWords(reduction)).toEqual({ ...model, moves: model.moves.toSorted() });
      }),
      runs,
    );
  });

  it("depends on the set of events only, not on their order [sessions.event-set]", () => {
    const shuffledCase = arbitraryCase.chain((given) =>
      fc.shuffledSubarray(given.events, { minLength: given.events.length }).map((shuffled) => ({ ...given, shuffled })),
    );
    fc.assert(
      fc.property(shuffledCase, ({ quiz, events, shuffled, now }) => {
        const inSeq = reduceSession({ quiz, events, country: null, now });
        expect(reduceSession({ quiz, events: shuffled, country: null, now })).toEqual(inSeq);
      }),
      runs,
    );
  });

  it("comes to the same from a row as from all events, however they are split and ordered [sessions.event-set]", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    const swaps = fc.array(fc.nat(60), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(arbitraryCase, sizes, swaps, async ({ quiz, events, now }, split, moved) => {
        const arriving = [...events];
        // mostly by seq, as browsers send, with some that come later
        for (const index of moved) arriving.push(...arriving.splice(index % arriving.length, 1));
        const given = { quiz, country: null, now };
        let row: SessionState | null = null;
        const arrived: TimedEvent[] = [];
        for (let at = 0, part = 0; at < arriving.length; part++) {
          const fresh = arriving.slice(at, at + (split[part % split.length] ?? 1));
          at += fresh.length;
          arrived.push(...fresh);
          const fold: Fold | null = row === null ? null : foldOf(JSON.parse(JSON.stringify(row)));
          const next: Reduction | null =
            fold !== null && goesOn(fold, fresh)
              ? await continueSession({ ...given, fold, events: fresh }, new Yielder())
              : null;
          const all = reduceSession({ ...given, events: arrived });
          if (next !== null) {
            expect(next.state).toEqual(all.state);
            for (const { id } of fresh) expect([id, next.rejections.get(id)]).toEqual([id, all.rejections.get(id)]);
          }
          row = next?.state ?? all.state;
        }
        const paged = await reduceYielding(
          { ...given, pages: () => inOrder(events).map((event) => [event]) },
          new Yielder(),
        );
        expect(row).toEqual(paged?.state);
      }),
      runs,
    );
  });

  it("gives entries = exits + finished + still here + moves out for each page [paths.balance]", () => {
    fc.assert(
      fc.property(arbitraryCase, (given) => checkBalance(reduceSession({ ...given, country: null }).state)),
      runs,
    );
  });

  it("has one row an edge, and an answered session on one page at its end [paths.edges]", () => {
    fc.assert(
      fc.property(arbitraryCase, (given) => {
        const { state } = reduceSession({ ...given, country: null });
        const edges = state.moves.map((move) => [move.from_page_key, move.to_page_key, move.cause, move.jump_rule_key]);
        expect(edges).toHaveLength(new Set(edges.map(String)).size);
        if (state.started_at !== null && state.status !== "completed") expect(state.exit).not.toBeNull();
      }),
      runs,
    );
  });

  it("is plain data, the same after a trip through JSON", () => {
    fc.assert(
      fc.property(arbitraryCase, (given) => {
        const { state } = reduceSession({ ...given, country: null });
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
    );
  });

  it("does not un-finish or move the finish when later events follow it [sessions.finish-stays]", () => {
    fc.assert(
      fc.property(arbitraryCase, ({ quiz, events, now }) => {
        const ordered = inOrder(events);
        let completed: number | null = null;
        for (const event of ordered) {
          const { state } = reduceSession({
            quiz,
            events: ordered.filter((one) => comparePlaces(one, event) <= 0),
            country: null,
            now,
          });
          if (completed !== null) expect(state).toMatchObject({ status: "completed", completed_at: completed });
          completed = state.completed_at;
        }
      }),
      { numRuns: 200 },
    );
  });

  it("changes by the passing of time alone only at `idle_at` [sessions.idle]", () => {
    fc.assert(
      fc.property(arbitraryCase, fc.nat(3 * idleMs), ({ quiz, events, now }, later) => {
        const before = reduceSession({ quiz, events, country: null, now }).state;
        const after = reduceSession({ quiz, events, country: null, now: now + later }).state;
        if (before.idle_at === null || now + later < before.idle_at) expect(after).toEqual(before);
        else expect(after).toMatchObject({ status: "left", end_reason: "timed_out", ended_at: before.idle_at });
      }),
      runs,
    );
  });

  it("is given events that `checkEvent` passes, whatever the walk [storefront.bad-events]", () => {
    fc.assert(
      fc.property(arbitraryCase, ({ quiz, events }) => {
        for (const event of events) expect([checkEvent(quiz, event), event]).toEqual([null, event]);
      }),
    );
  });
});
