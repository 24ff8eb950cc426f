import { afterEach, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { makeQuiz, pagesNamed } from "../../../testkit/quizzes.ts";
import { lifeOf, readLife } from "./life.ts";
import { scopeOf } from "./scope.ts";

let hand: HandStore;
beforeEach(async () => {
  hand = await openHandStore();
});
afterEach(() => hand.close());

const range = (from: string, to: string, timezone = "UTC") => askedOf(hand, null, from, to, { timezone }).range;

it("is live since its first publish, with a marker for each publish inside the range (2.9, decisions D10)", async () => {
  // the calendar of tests stands at noon of 10 March 2026
  hand.t.calendar.advance(86_400_000);
  const quizId = `quiz_${hand.quizId.replaceAll("-", "")}`;
  await makeQuiz(hand.t, hand.store, { document: pagesNamed("one"), publish: true, quizId });
  const asked = askedOf(hand, hand.quizId, "2026-03-11", "2026-03-12", { timezone: "Pacific/Auckland" });
  const life = await readLife(hand.copy.query, hand.db, asked, await scopeOf(hand.copy.query, asked));
  expect(life).toEqual({
    data_start: null,
    live_since: "2026-03-10T12:00:00.000Z",
    live_since_approximate: false,
    markers: [
      { approximate: false, day: "2026-03-11", published_at: "2026-03-10T12:00:00.000Z", version_number: 1 },
      { approximate: false, day: "2026-03-12", published_at: "2026-03-11T12:00:00.000Z", version_number: 2 },
    ],
  });
});

it("is live since the oldest imported session where that is older, with a marker of its own (2.9, decisions D10)", async () => {
  const opened = at("2026-01-31T23:30");
  await hand.copy.put("sessions", { session: 1, opened }, { session: 2, opened: opened + 1, channel: "email" });
  // no filter hides the quiz's beginning
  const asked = askedOf(hand, hand.quizId, "2026-02-01", "2026-03-31", { timezone: "Europe/Berlin", channel: "email" });
  const life = await readLife(hand.copy.query, hand.db, asked, await scopeOf(hand.copy.query, asked));
  expect(life).toEqual({
    data_start: "2026-02-01",
    live_since: "2026-01-31T23:30:00.000Z",
    live_since_approximate: true,
    markers: [
      { approximate: true, day: "2026-02-01", published_at: "2026-01-31T23:30:00.000Z", version_number: null },
      { approximate: false, day: "2026-03-10", published_at: "2026-03-10T12:00:00.000Z", version_number: 1 },
    ],
  });
  expect(lifeOf(range("2026-02-02", "2026-02-03"), opened, []).markers).toEqual([]);
});

it("takes no shopper's clock for an import: a live session is an hour older than its arrival at most (decisions D10, storefront 2)", () => {
  const published = at("2026-03-10T12:00");
  const publishes = [{ at: published, versionNumber: 1 }];
  const march = range("2026-03-01", "2026-03-31");
  expect(lifeOf(march, published - 3_600_000, publishes)).toMatchObject({
    live_since: "2026-03-10T12:00:00.000Z",
    live_since_approximate: false,
  });
  expect(lifeOf(march, published - 3_600_001, publishes).live_since_approximate).toBe(true);
  expect(lifeOf(march, null, [])).toEqual({ live_since: null, live_since_approximate: false, markers: [] });
});

it("begins, for the whole store, with the first session of any quiz (2.9, decisions D11)", async () => {
  await hand.copy.put("sessions", { session: 1, quiz: 2, visitor: uuid(1), opened: at("2026-01-02T00:00") });
  const asked = askedOf(hand, null, "2026-02-01", "2026-02-02");
  const life = await readLife(hand.copy.query, hand.db, asked, await scopeOf(hand.copy.query, asked));
  expect(life).toEqual({ data_start: "2026-01-02", live_since: null, live_since_approximate: false, markers: [] });
});
