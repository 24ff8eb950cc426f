import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore } from "../../../testkit/hand-copy.ts";

import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { type Cohort, paths } from "./paths.ts";

const [skin, oil, you, result, gone] = [1, 2, 3, 4, 5];

let hand: HandStore;
beforeAll(async () => {
  hand = await openHandStore(sampleQuiz(), ["skin", "oil", "you", "result", "gone"]);
});
beforeEach(async () => {
  await hand.begin();
  await hand.copy.put(
    "rules",
    { rule: 1, quiz: 1, jump_rule_key: "young" },
    { rule: 2, quiz: 1, jump_rule_key: "old_rule" },
  );
});
afterAll(() => hand.close());

const ask = (cohort: Cohort = "all", filters: Parameters<typeof askedOf>[4] = {}) =>
  paths(hand.copy.query, hand.db, askedOf(hand, hand.quizId, "2026-03-01", "2026-03-31", filters), cohort);

interface Way {
  status?: string;
  exit: [page: number, reason: string];
  visits: Record<string, unknown>[];
  moves?: Record<string, unknown>[];
  hidden?: Record<string, unknown>[];
  started?: string;
  device?: string;
}

async function took(session: number, { status = "left", exit, visits, moves = [], hidden = [], ...more }: Way) {
  const { started: text = "2026-03-02T10:00", device = "mobile" } = more;
  const started = at(text);
  const [exit_page, exit_reason] = exit;
  const own = { session, started };
  await hand.copy.put("sessions", { ...own, opened: started, status, exit_page, exit_reason, device });
  await hand.copy.put("visits", ...visits.map((visit) => ({ ...own, ...visit })));
  await hand.copy.put("moves", ...moves.map((move) => ({ ...own, ...move })));
  await hand.copy.put("hidden", ...hidden.map((page) => ({ ...own, ...page })));
}

async function severalWays(): Promise<void> {
  await took(1, {
    status: "completed",
    exit: [result, "finished"],
    visits: [
      { page: skin, entries: 2, time_ms: 1_000 },
      { page: oil, time_ms: 10 },
      { page: result, entries_by_jump: 1, first_by_jump: true, time_ms: 5 },
    ],
    moves: [
      { from_page: skin, to_page: oil, moves: 1 },
      { from_page: oil, to_page: skin, cause: "back" },
      { from_page: skin, to_page: result, cause: "jump", rule: 1 },
    ],
  });
  await took(2, {
    exit: [you, "timed_out"],
    visits: [{ page: skin, time_ms: 2_001 }, { page: you }],
    moves: [{ from_page: skin, to_page: you }],
    hidden: [{ page: oil, times: 2 }],
    device: "tablet",
  });
  await took(3, {
    status: "in_progress",
    exit: [skin, "still_here"],
    visits: [{ page: skin, entries: 3, time_ms: 7 }],
    moves: [{ from_page: skin, to_page: skin, cause: "restart", moves: 2 }],
  });
  await took(4, { exit: [skin, "closed"], visits: [{ page: skin }] });
  await took(5, { exit: [skin, "restarted"], visits: [{ page: skin }] });
  await took(6, { exit: [skin, "closed"], visits: [{ page: skin }], started: "2026-04-01T00:00" });
}

it("accounts for every arrival: exits, finishes, who is still there, and moves out [paths.balance, paths.cohort]", async () => {
  await severalWays();
  const body = await ask();
  expect(body).toMatchObject({ cohort: "all", sessions: 5, data_start: "2026-03-02" });
  const node = (page_key: string, title: string, figures: object) => ({
    page_key,
    title,
    removed: false,
    entries: 0,
    entries_by_jump: 0,
    exits_closed: 0,
    exits_restarted: 0,
    exits_timed_out: 0,
    finished_here: 0,
    still_here: 0,
    median_time_on_page_ms: null,
    ...figures,
  });
  expect(body.nodes).toEqual([
    node("skin", "Your skin", {
      entries: 8,
      exits_closed: 1,
      exits_restarted: 1,
      still_here: 1,
      median_time_on_page_ms: 1_000,
    }),
    node("oil", "About oil", { entries: 1, median_time_on_page_ms: 10 }),
    node("you", "You", { entries: 1, exits_timed_out: 1 }),
    node("result", "For you", { entries: 1, entries_by_jump: 1, finished_here: 1, median_time_on_page_ms: 5 }),
  ]);
  for (const each of body.nodes) {
    const out = body.edges.filter((edge) => edge.from_page_key === each.page_key);
    const exits = each.exits_closed + each.exits_restarted + each.exits_timed_out;
    const moved = out.reduce((sum, edge) => sum + edge.moves, 0);
    expect(each.entries).toBe(exits + each.finished_here + each.still_here + moved);
  }
});

it("lists edges by moves with ties in a fixed order, the rule on jumps alone [paths.edges]", async () => {
  await severalWays();
  const edge = (from_page_key: string, to_page_key: string, cause: string, moves = 1) => {
    return { from_page_key, to_page_key, cause, moves, sessions_moved: 1 };
  };
  const { edges, other_paths } = await ask();
  expect(edges).toEqual([
    edge("skin", "skin", "restart", 2),
    edge("oil", "skin", "back"),
    edge("skin", "oil", "next"),
    { ...edge("skin", "result", "jump"), jump_rule_key: "young" },
    edge("skin", "you", "next"),
  ]);
  expect(other_paths).toEqual({ moves: 0, routes: 0 });
});

it("lists the 60 largest edges, and adds up the rest [paths.edges, paths.other-paths]", async () => {
  const many = Array.from({ length: 63 }, (_, index) => ({
    page: 10 + index,
    quiz: 1,
    page_key: `page_${10 + index}`,
  }));
  await hand.copy.put("pages", ...many);
  await took(1, {
    exit: [skin, "closed"],
    visits: [],
    moves: many.map(({ page }, index) => ({ from_page: skin, to_page: page, moves: 100 - Math.floor(index / 4) })),
  });
  const { edges, other_paths } = await ask();
  expect(edges).toHaveLength(60);
  // the 63 come in steps of four; the last three are the smallest
  expect(edges.map((edge) => edge.to_page_key)).toEqual(many.slice(0, 60).map(({ page_key }) => page_key));
  expect(other_paths).toEqual({ moves: 3 * 85, routes: 3 });
});

it("narrows the cohort to those who finished, or left [paths.cohort]", async () => {
  await severalWays();
  const finished = await ask("finished");
  expect(finished).toMatchObject({ cohort: "finished", sessions: 1, visibility_skips: [] });
  expect(finished.nodes.map((node) => node.entries)).toEqual([2, 1, 0, 1]);
  expect(finished.edges).toHaveLength(3);
  const left = await ask("left");
  expect(left).toMatchObject({ cohort: "left", sessions: 3 });
  expect(left.nodes.map((node) => node.entries)).toEqual([3, 0, 1, 0]);
  expect(left.edges).toHaveLength(1);
  expect(left.rules).toEqual([{ jump_rule_key: "young", source_page_key: "skin", fired: 0, source_entries: 3 }]);
});

it("tells how often rules fired, of their source's arrivals, and pages were hidden [paths.rules, paths.hidden-pages]", async () => {
  await severalWays();
  await took(7, {
    exit: [gone, "closed"],
    visits: [{ page: gone, entries: 2 }],
    moves: [{ from_page: gone, to_page: gone, cause: "jump", rule: 2, moves: 4 }],
    hidden: [{ page: gone }, { page: oil }],
  });
  const body = await ask();
  expect(body.rules).toEqual([
    { jump_rule_key: "young", source_page_key: "skin", fired: 1, source_entries: 8 },
    { jump_rule_key: "old_rule", source_page_key: "gone", fired: 4, source_entries: 2 },
  ]);
  expect(body.visibility_skips).toEqual([
    { page_key: "oil", title: "About oil", removed: false, times_hidden: 3 },
    // no version has this one: nothing names it but its key
    { page_key: "gone", title: "gone", removed: true, times_hidden: 1 },
  ]);
  expect(body.nodes.at(-1)).toMatchObject({ page_key: "gone", removed: true, entries: 2, exits_closed: 1 });
});

it("filters all of it by session, but the day of the first session [analytics.filters, figures.data-start]", async () => {
  await severalWays();
  await took(8, { exit: [skin, "closed"], visits: [{ page: skin }], started: "2026-01-05T10:00" });
  const body = await ask("all", { device: "tablet" });
  expect(body).toMatchObject({ sessions: 1, data_start: "2026-01-05" });
  expect(body.nodes.map((node) => node.entries)).toEqual([1, 0, 1, 0]);
  expect(body.edges.map((edge) => edge.to_page_key)).toEqual(["you"]);
  expect(body.visibility_skips.map((skip) => skip.times_hidden)).toEqual([2]);
});

it("takes the median of an even count as the mean of the middle two [paths.page-time]", async () => {
  await took(1, { exit: [skin, "closed"], visits: [{ page: skin, time_ms: 4 }] });
  await took(2, { exit: [skin, "closed"], visits: [{ page: skin, time_ms: 7 }] });
  expect((await ask()).nodes[0]?.median_time_on_page_ms).toBe(5.5);
});

it("has no data, and the present pages and rules all the same [paths.rules]", async () => {
  const body = await ask();
  expect(body).toMatchObject({ sessions: 0, data_start: null, edges: [], other_paths: { moves: 0, routes: 0 } });
  expect(body.nodes.map((node) => node.page_key)).toEqual(["skin", "oil", "you", "result"]);
  expect(body.rules).toEqual([{ jump_rule_key: "young", source_page_key: "skin", fired: 0, source_entries: 0 }]);
});
