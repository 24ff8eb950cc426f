import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { picksOf } from "../../engine/quiz.ts";
import { arbitraryHistory as arbitraryWalk, eventId, type TimedEvent } from "../histories.ts";
import type { Browser, History, HistoryQuiz, HistorySession, Source } from "./history.ts";
import { arbitraryOrders } from "./order-histories.ts";
import { arbitraryVersions } from "./quizzes.ts";

/** Random histories of a store, for the model and for everything compared with it. */

export const zones = [
  "UTC",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Pacific/Chatham",
  "Europe/Tallinn",
  "America/Santiago",
] as const;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The test app's calendar when it is opened. */
const calendarStart = Date.parse("2026-03-10T12:00:00.000Z");

/** The clock changes of the zones in the year before a moment. */
function clockChanges(now: number): number[] {
  return zones.flatMap((zone) => {
    const changes: number[] = [];
    const end = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
    for (let at = end.getTimeZoneTransition("previous"); at && changes.length < 3; ) {
      if (at.epochMilliseconds > now - 360 * day) changes.push(at.epochMilliseconds);
      at = at.epochMilliseconds > now - 360 * day ? at.getTimeZoneTransition("previous") : null;
    }
    return changes;
  });
}

/** Start times of sessions: around clock changes, in the last days, within the last hour, or any time in a year. */
function arbitraryStart(now: number): fc.Arbitrary<number> {
  const around = fc
    .tuple(fc.constantFrom(...clockChanges(now)), fc.integer({ min: -36 * hour, max: 36 * hour }))
    .map(([change, offset]) => change + offset);
  return fc.oneof(
    { weight: 4, arbitrary: around },
    { weight: 3, arbitrary: fc.integer({ min: now - 9 * day, max: now }) },
    { weight: 2, arbitrary: fc.integer({ min: now - hour, max: now }) },
    { weight: 2, arbitrary: fc.integer({ min: now - 365 * day, max: now }) },
    { weight: 1, arbitrary: fc.integer({ min: now - 420 * day, max: now - 366 * day }) },
  );
}

const browsers: Browser[] = [
  {
    userAgent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    device: "desktop",
  },
  {
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    device: "mobile",
  },
  {
    userAgent:
      "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
    device: "tablet",
  },
  { userAgent: null, device: "other" },
];

const address = (sent: string | null, kept: string | null) => ({ sent, kept });
const referrers = [
  address(null, null),
  address("", null),
  address("https://www.google.com/search?q=x", "www.google.com"),
  address("https://direct/", "direct"),
  address("android-app://com.example.app/", "com.example.app"),
];
const pageUrls = [
  address(null, null),
  address("https://shop.example.com/pages/quiz?utm_source=x#top", "https://shop.example.com/pages/quiz"),
  address("https://shop.example.com/", "https://shop.example.com/"),
];
const tag = fc.constantFrom(null, null, "spring", "Spring", "none", "zebra");
const source: fc.Arbitrary<Source> = fc.record({
  referrer: fc.constantFrom(...referrers),
  utm: fc.record({ source: tag, medium: tag, campaign: tag, content: tag, term: tag }),
});

const visitorIds = Array.from({ length: 9 }, (_, index) => `vis_${String(index + 1).padStart(32, "0")}`);

/** Changes to a walk's times, so that rare timings occur. */
const timing = fc.record({
  /** whether all steps happen in one millisecond, or in pairs */
  squeeze: fc.constantFrom("no", "no", "no", "no", "all", "pairs"),
  /** the step from which everything happens later by a pause */
  pauseAt: fc.nat(12),
  pause: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 30 * minute, max: 4 * day }) },
    { weight: 1, arbitrary: fc.integer({ min: 5 * minute, max: 29 * minute }) },
  ),
});
type Timing = typeof timing extends fc.Arbitrary<infer Value> ? Value : never;

/** A walk extended by an ending that walks rarely reach by themselves. */
function endedBy(walk: readonly TimedEvent[], ending: string, document: QuizDocument): TimedEvent[] {
  const last = walk.at(-1);
  const blocks = [...compileQuiz(document).blocks.values()];
  const block = blocks.at(-1);
  if (!last || ending === "nothing") return [...walk];
  const place = { id: eventId(1000), seq: last.seq + 1, at: last.at, time: last.time + 1000 };
  if (ending === "closed") return [...walk, { ...place, type: "quiz_closed" }];
  if (!block) return [...walk];
  const shown = {
    type: "products_shown" as const,
    page_key: block.placed.page.page_key,
    block_key: block.block.block_key,
    products: picksOf(block.block).map(({ product_id }) => ({ product_id })),
  };
  return [...walk, { ...place, ...shown }];
}

/** Places a walk at `start`, or as much earlier as needed to end before the present. */
function placed(events: readonly TimedEvent[], start: number, now: number, how: Timing): TimedEvent[] {
  const first = events[0]?.time ?? 0;
  const timeAt = (index: number): number => {
    const from = how.squeeze === "pairs" ? index - (index % 2) : index;
    const since = how.squeeze === "all" ? 0 : (events[from]?.time ?? first) - first;
    return start + since + (index >= how.pauseAt ? how.pause : 0);
  };
  const latest = Math.max(...events.map((_, index) => timeAt(index)));
  const back = Math.max(0, latest - now);
  return events.map((event, index) => {
    const time = timeAt(index) - back;
    return { ...event, time, at: new Date(time).toISOString() };
  });
}

function arbitrarySession(quizzes: readonly HistoryQuiz[], now: number): fc.Arbitrary<Omit<HistorySession, "id">> {
  return fc.nat(quizzes.length - 1).chain((quiz) =>
    fc.nat((quizzes[quiz]?.versions.length ?? 1) - 1).chain((version) => {
      const document = quizzes[quiz]?.versions[version]?.document;
      if (!document) throw new Error("no such version");
      const whole = fc.record({
        walk: arbitraryWalk(compileQuiz(document), { maxActions: 30 }),
        start: arbitraryStart(now),
        ending: fc.constantFrom("nothing", "nothing", "nothing", "closed", "shown", "shown"),
        timing,
        split: fc.oneof(
          { weight: 4, arbitrary: fc.constant(100) },
          { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
        ),
        visitor: fc.constantFrom(...visitorIds),
        channel: fc.constantFrom("online_store", "online_store", "pos_2", "link"),
        browser: fc.constantFrom(...browsers),
        country: fc.constantFrom(null, "US", "EE", "NP"),
        region: fc.constantFrom(null, "CA", "us-ca", "US-NY", "37", "California", "DE-BY"),
        source,
        page: fc.constantFrom(...pageUrls),
        placement: fc.constantFrom(null, "popup", "home page"),
        preview: fc.integer({ min: 0, max: 11 }).map((pick) => pick === 0),
      });
      return whole.map(({ walk, start, ending, timing: how, split, ...facts }) => {
        const events = placed(endedBy(walk, ending, document), start, now, how);
        return { ...facts, quiz, version: version + 1, events, firstDelivery: Math.min(split, events.length) };
      });
    }),
  );
}

const spans = fc.record({
  /** time from the first publishing to the present */
  age: fc.integer({ min: 0, max: 280 * day }),
  /** when the quizzes' versions were published within that time */
  publishes: fc.array(fc.nat(1_000), { minLength: 9, maxLength: 9 }),
  currency: fc.constantFrom("USD", "USD", "EUR", "JPY", "KWD"),
  windowDays: fc.constantFrom(30, 30, 1, 7, 60, 90),
  /** time from the last arrival to the present */
  quiet: fc.constantFrom(0, 0, 5 * minute, 25 * minute, 31 * minute, 3 * hour),
  deletes: fc.integer({ min: 0, max: 3 }).map((pick) => pick === 0),
});

const catalog = fc
  .array(
    fc.record({
      variants: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
      deleted: fc.boolean(),
    }),
    { minLength: 3, maxLength: 3 },
  )
  .map((products) =>
    products.map((product, index) => ({ ...product, product: index + 2, title: `Cream ${index + 2}` })),
  );

const names = ["Find your serum", "Routine finder", "Survey"];

/** The quizzes that are taken, and one that is still a draft; the last of them may be deleted at the end. */
function quizzesOf(
  documents: readonly QuizDocument[][],
  { publishes, age, deletes }: { publishes: readonly number[]; age: number; deletes: boolean },
): HistoryQuiz[] {
  const times = publishes.map((part) => calendarStart + Math.floor((age * part) / 1000)).sort((a, b) => a - b);
  let published = 0;
  const quizzes = documents.map((versions, index): HistoryQuiz => {
    const publishedAt = versions.map(() => times[published++] ?? calendarStart + age);
    const name = names[index] ?? "Another quiz";
    return { ...quiz(index, name), versions: versions.map((document) => ({ id: "", document })), publishedAt };
  });
  return quizzes.map((one, index) => ({ ...one, deleted: deletes && index === quizzes.length - 1 }));
}

/** The store assigns the actual ids; these only distinguish quizzes. */
const quiz = (index: number, name: string): HistoryQuiz => {
  return { id: `quiz_${String(index).padStart(32, "0")}`, name, versions: [], publishedAt: [], deleted: false };
};

/**
 * Histories of a store in the year before a present that lies up to 280 days after the test app's initial calendar:
 * edited quizzes, walks with every kind of event, returning visitors, previews, and orders in every tier.
 */
export const arbitraryStoreHistory = ({ maxSessions = 40 } = {}): fc.Arbitrary<History> =>
  fc.tuple(spans, arbitraryVersions, catalog).chain(([span, documents, products]) => {
    const { age, currency, windowDays, quiet } = span;
    const arrived = calendarStart + age;
    const taken = quizzesOf(documents, span);
    const quizzes = [...taken, quiz(taken.length, "Yet a draft")];
    return fc
      .array(arbitrarySession(taken, arrived), { minLength: 8, maxLength: maxSessions, size: "max" })
      .map((given) => given.map((one, index) => ({ ...one, id: `sess_${(index + 1).toString(16).padStart(32, "0")}` })))
      .chain((sessions) =>
        arbitraryOrders(sessions, { now: arrived, currency }).map((orders) => {
          const now = arrived + quiet;
          return { now, quiet, currency, windowDays, quizzes, imported: true, sessions, orders, catalog: products };
        }),
      );
  });
