import fc from "fast-check";
import type { EnterCause } from "../../contract/storefront.ts";
import { page, quizDocument, text } from "../document-parts.ts";
import { eventId, historyStart, type TimedEvent } from "../histories.ts";
import type { History, HistorySession } from "./history.ts";

/**
 * Histories of one quiz whose shoppers move between any two pages, which gives more edges than an answer lists
 * [paths.other-paths].
 */

const keys = Array.from({ length: 11 }, (_, index) => `page_${index + 1}`);
const causes: EnterCause[] = ["next", "back", "skip", "restart"];

const document = quizDocument([
  page("start", [text("name", { question: "Name?", max_length: 100 })], { kind: "content" }),
  ...keys.map((page_key) => page(page_key, [], { kind: "content" })),
]);

const walk = fc.array(fc.record({ page: fc.constantFrom(...keys), cause: fc.constantFrom(...causes) }), {
  minLength: 10,
  maxLength: 40,
  size: "max",
});

function sessionOf(steps: readonly { page: string; cause: EnterCause }[], index: number): HistorySession {
  const start = historyStart + index * 3_600_000;
  const place = (seq: number) => {
    const time = start + seq * 10_000;
    return { id: eventId(seq), seq, time, at: new Date(time).toISOString() };
  };
  const events: TimedEvent[] = [
    { type: "quiz_opened", ...place(0) },
    { type: "answer_saved", page_key: "start", component_key: "name", value: "Ann", ...place(1) },
    ...steps.map(({ page, cause }, step) => ({
      type: "page_entered" as const,
      page_key: page,
      cause,
      ...place(step + 2),
    })),
  ];
  return {
    id: `sess_${(index + 1).toString(16).padStart(32, "0")}`,
    visitor: `vis_${(index + 1).toString(16).padStart(32, "0")}`,
    quiz: 0,
    version: 1,
    channel: "online_store",
    browser: { userAgent: null, device: "other" },
    country: null,
    region: null,
    source: {
      referrer: { sent: null, kept: null },
      utm: { source: null, medium: null, campaign: null, content: null, term: null },
    },
    page: { sent: null, kept: null },
    placement: null,
    preview: false,
    events,
    firstDelivery: events.length,
  };
}

const day = 86_400_000;

export const arbitraryWanderers: fc.Arbitrary<History> = fc
  .array(walk, { minLength: 6, maxLength: 12, size: "max" })
  .map((walks) => ({
    now: historyStart + 20 * day,
    quiet: 0,
    currency: "USD",
    windowDays: 30,
    quizzes: [
      {
        id: "quiz_wander",
        name: "Wander",
        versions: [{ id: "", document }],
        publishedAt: [historyStart + 19 * day],
        deleted: false,
      },
    ],
    imported: true,
    sessions: walks.map(sessionOf),
    orders: [],
    catalog: [],
  }));
