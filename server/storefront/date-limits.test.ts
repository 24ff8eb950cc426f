import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { QuizDocument } from "../../engine/document.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { date, page, quizDocument } from "../../testkit/document-parts.ts";
import { eventId } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { batchOf, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import { findStore } from "../stores/public.ts";

/** An appointment from tomorrow on, on working days, and a birthday in the past. */
const document: QuizDocument = quizDocument([
  page("p", [
    date("visit", {
      with_time: true,
      min: "today+1d",
      weekdays: [1, 2, 3, 4, 5],
      time_from: "09:00",
      time_to: "17:30",
    }),
    date("born", { max: "today" }),
  ]),
]);

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document, publish: true });
});

const hourMs = 3_600_000;

interface Answered {
  key?: string;
  /** ms before the request */
  ago?: number;
  zone?: string | null;
  session?: number;
  seq?: number;
}

/** Posts one answer; the reason for which it was refused, or null. */
async function answer(value: unknown, { key = "visit", ago = 0, zone = null, session = 1, seq = 1 }: Answered = {}) {
  const at = new Date(t.calendar.now() - ago).toISOString();
  const id = eventId(session * 1_000 + seq);
  const event = { id, seq, at, type: "answer_saved", page_key: "p", component_key: key, value };
  const sent = await send(t, store, quiz, [event], {
    session: { id: sessionId(session), ...(zone !== null && { time_zone: zone }) },
  });
  expect(sent.status).toBe(202);
  return sent.body.rejected[0]?.reason ?? null;
}

/** The first moment from now on at which it is that weekday and hour in UTC. */
function advanceTo(weekday: number, hour: number): void {
  for (;;) {
    const now = new Date(t.calendar.now());
    if ((now.getUTCDay() || 7) === weekday && now.getUTCHours() === hour) return;
    t.calendar.advance(hourMs - (t.calendar.now() % hourMs));
  }
}
const dayAfter = (days: number) => new Date(t.calendar.now() + days * 24 * hourMs).toISOString().slice(0, 10);

describe("an answer to a date with limits [storefront.date-limits]", () => {
  it("is invalid_value outside of the days, weekdays and times, and is stored within them", async () => {
    advanceTo(1, 12);
    const zone = "UTC";
    expect(await answer({ date: dayAfter(1), time: "09:00" }, { zone, seq: 1 })).toBeNull();
    expect(await answer({ date: dayAfter(0), time: "15:00" }, { zone, seq: 2 })).toBe("invalid_value");
    expect(await answer({ date: dayAfter(5), time: "15:00" }, { zone, seq: 3 })).toBe("invalid_value");
    expect(await answer({ date: dayAfter(1), time: "17:31" }, { zone, seq: 4 })).toBe("invalid_value");
    const { state } = (await sessionRow(t, store, sessionId(1)))!;
    expect(state.answers).toMatchObject([{ component_key: "visit", value: { date: dayAfter(1), time: "09:00" } }]);
    expect(await answer(`${dayAfter(2)}T17:30`, { zone, seq: 5 })).toBeNull();
    expect(await answer(null, { zone, seq: 6 })).toBeNull();
  });

  it("is judged by the event's own time, however late it arrives", async () => {
    advanceTo(2, 1);
    const zone = "UTC";
    const yesterday = dayAfter(-1);
    expect(await answer(dayAfter(0), { zone, ago: 2 * hourMs })).toBeNull();
    expect(await answer(dayAfter(0), { zone, seq: 2 })).toBe("invalid_value");
    expect(await answer(yesterday, { key: "born", zone, ago: 2 * hourMs, seq: 3 })).toBeNull();
    expect(await answer(dayAfter(0), { key: "born", zone, ago: 2 * hourMs, seq: 4 })).toBe("invalid_value");
  });

  it("is judged in the zone with which the session began, not in what later requests say", async () => {
    advanceTo(2, 10);
    // there it is Wednesday already, and tomorrow is Thursday
    expect(await answer(dayAfter(1), { zone: "Pacific/Kiritimati" })).toBe("invalid_value");
    expect(await answer(dayAfter(2), { zone: "Pacific/Kiritimati" })).toBeNull();
    expect(await answer(dayAfter(1), { zone: "UTC", seq: 2 })).toBe("invalid_value");
    // and there it is still Monday
    expect(await answer(dayAfter(0), { zone: "Pacific/Pago_Pago", session: 2 })).toBeNull();
    expect(await answer(dayAfter(-1), { zone: "Pacific/Pago_Pago", session: 3 })).toBe("invalid_value");
  });

  it("is judged in favour of the shopper where no zone is known", async () => {
    advanceTo(2, 10);
    const reasons: (string | null)[] = [];
    for (const [index, days] of [-1, 0, 1, 2].entries())
      reasons.push(await answer(dayAfter(days), { key: "born", session: index + 1 }));
    // it is Wednesday in the east, from where tomorrow is no day to be born on
    expect(reasons).toEqual([null, null, null, "invalid_value"]);
    const visits: (string | null)[] = [];
    for (const [index, days] of [-1, 0, 1].entries())
      visits.push(await answer(dayAfter(days), { session: index + 11, zone: "Mars/Olympus" }));
    expect(visits).toEqual(["invalid_value", null, null]);
  });

  it("is not judged in history from elsewhere", async () => {
    const found = await findStore(t.database.reader(), store.id);
    const at = new Date(t.calendar.now()).toISOString();
    const event = { id: eventId(1), seq: 1, at, type: "answer_saved", page_key: "p", component_key: "visit" };
    const result = await t.api.intake.submit({
      store: found!,
      batch: batchOf(t, store, quiz, [{ ...event, value: "2001-01-06" }], { session: { time_zone: "UTC" } }),
      origin: { userAgent: null, country: null, region: null },
      mode: { kind: "history", emit: false },
      sender: null,
    });
    expect(result).toMatchObject({ accepted: 1, rejected: [] });
  });

  it("counts once stored, whatever its day is later", async () => {
    advanceTo(1, 12);
    expect(await answer(dayAfter(1), { zone: "UTC" })).toBeNull();
    t.calendar.advance(20 * 60_000);
    const day = dayAfter(1);
    // an event before it by seq has the session reduced again from all of its events
    expect(await answer(dayAfter(0), { key: "born", zone: "UTC", seq: 0 })).toBeNull();
    const { state } = (await sessionRow(t, store, sessionId(1)))!;
    expect(state.answers).toMatchObject([{ value: { date: day } }, { value: { date: dayAfter(0) } }]);
  });
});
