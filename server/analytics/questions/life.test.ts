import { afterEach, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { eventId } from "../../../testkit/histories.ts";
import { makeQuiz, pagesNamed } from "../../../testkit/quizzes.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { batchOf, send, sessionId } from "../../../testkit/storefront.ts";
import { findStore } from "../../stores/public.ts";
import { lifeOf, readLife } from "./life.ts";
import { scopeOf } from "./scope.ts";

let hand: HandStore;
beforeEach(async () => {
  hand = await openHandStore();
});
afterEach(() => hand.close());

const range = (from: string, to: string, timezone = "UTC") => askedOf(hand, null, from, to, { timezone }).range;

it("is live since its first publish, with a marker for each publish inside the range [figures.live-since, figures.publish-markers]", async () => {
  // the calendar of tests stands at noon of 10 March 2026
  hand.t.calendar.advance(86_400_000);
  const quizId = `quiz_${hand.quizId.replaceAll("-", "")}`;
  await makeQuiz(hand.t, hand.store, { document: pagesNamed("one"), publish: true, quizId });
  const selection = askedOf(hand, hand.quizId, "2026-03-11", "2026-03-12", { timezone: "Pacific/Auckland" });
  const life = await readLife(hand.copy.query, hand.db, selection, await scopeOf(hand.copy.query, selection));
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

it("is live since the oldest imported session where that is older, with a marker of its own [figures.live-since, figures.publish-markers, figures.data-start]", async () => {
  const opened = at("2026-01-31T23:30");
  await hand.copy.put("sessions", { session: 1, opened }, { session: 2, opened: opened + 1, channel: "email" });
  await hand.t.database.transaction((tx) =>
    tx.all({
      sql: "INSERT INTO imported_openings (store_id, quiz_id, opened_at) VALUES ($1, $2, $3)",
      parameters: [hand.store.uuid, hand.quizId, new Date(opened)],
    }),
  );
  // no filter hides the quiz's beginning
  const selection = askedOf(hand, hand.quizId, "2026-02-01", "2026-03-31", {
    timezone: "Europe/Berlin",
    channel: "email",
  });
  const life = await readLife(hand.copy.query, hand.db, selection, await scopeOf(hand.copy.query, selection));
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

it("is approximate exactly when the imported session is older than the publish, by whatever it is [figures.live-since]", () => {
  const published = at("2026-03-10T12:00");
  const publishes = [{ at: published, versionNumber: 1 }];
  const march = range("2026-03-01", "2026-03-31");
  const live = { live_since: "2026-03-10T12:00:00.000Z", live_since_approximate: false };
  for (const imported of [null, published, published + 1])
    expect(lifeOf(march, imported, publishes)).toMatchObject(live);
  expect(lifeOf(march, published - 1, publishes)).toMatchObject({
    live_since: "2026-03-10T11:59:59.999Z",
    live_since_approximate: true,
  });
  expect(lifeOf(march, null, [])).toEqual({ live_since: null, live_since_approximate: false, markers: [] });
});

it("is moved by what is imported, and by nothing that shoppers send [figures.live-since]", async () => {
  const { t } = hand;
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document: sampleQuiz(), publish: true });
  const published = t.calendar.now();
  t.calendar.advance(60_000);
  const life = async () => {
    const selection = askedOf({ store }, quiz.uuid, "2026-03-01", "2026-03-31");
    const { live_since, live_since_approximate: approximate } = await readLife(
      hand.copy.query,
      t.database.reader().forStore(store.uuid),
      selection,
      await scopeOf(hand.copy.query, selection),
    );
    return [Date.parse(live_since ?? "") - published, approximate];
  };
  const opened = (number: number, before: number) => {
    const event = { id: eventId(number), seq: number, at: new Date(published - before).toISOString() };
    return [{ ...event, type: "quiz_opened" }];
  };
  const bring = async (session: number, events: unknown[], more: { preview?: boolean } = {}) => {
    const batch = batchOf(t, store, quiz, events, { session: { id: sessionId(session), ...more } });
    const found = await findStore(t.database.reader(), store.id);
    if (!found) throw new Error("the store was not made");
    const origin = { userAgent: null, country: null, region: null };
    const mode = { kind: "history", emit: false } as const;
    const given = { store: found, batch, origin, mode, sender: null };
    expect(await t.api.intake.submit(given)).toMatchObject({ accepted: 1 });
  };
  const hour = 3_600_000;
  expect((await send(t, store, quiz, opened(1, 24 * hour))).body).toMatchObject({ accepted: 1 });
  expect(await life()).toEqual([0, false]);
  await bring(2, opened(2, -1_000));
  await bring(3, opened(3, 48 * hour), { preview: true });
  expect(await life()).toEqual([0, false]);
  await bring(4, opened(4, 1));
  expect(await life()).toEqual([-1, true]);
  await bring(5, opened(5, 50 * hour));
  await bring(6, opened(6, 30 * hour));
  expect(await life()).toEqual([-50 * hour, true]);
  // a browser adds an earlier event to an imported session
  const sent = { session: { id: sessionId(5) } };
  expect((await send(t, store, quiz, opened(0, 60 * hour), sent)).body).toMatchObject({ accepted: 1 });
  expect(await life()).toEqual([-50 * hour, true]);
});

it("begins, for the whole store, with the first session of any quiz [figures.data-start]", async () => {
  await hand.copy.put("sessions", { session: 1, quiz: 2, visitor: uuid(1), opened: at("2026-01-02T00:00") });
  const selection = askedOf(hand, null, "2026-02-01", "2026-02-02");
  const life = await readLife(hand.copy.query, hand.db, selection, await scopeOf(hand.copy.query, selection));
  expect(life).toEqual({ data_start: "2026-01-02", live_since: null, live_since_approximate: false, markers: [] });
});
