import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "./http.ts";
import { type Place, until } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { openShopWithKey } from "./shop.ts";
import { daysAgo, sendWeek, type Week } from "./week.ts";

/** Which way ten visits took through the pages and what they answered, counted by hand. */

let program: Place;
let api: Client;
let week: Week;
let sentAt: number;

beforeAll(async () => {
  program = await sharedProgram();
  const limits = { capacity: 100_000, leak_per_second: 10_000, analytics_soft_ttl_seconds: 1 };
  const opened = await openShopWithKey(program, { limits });
  api = opened.api;
  week = await sendWeek(program, opened.shop, api);
  await week.finishNight();
  sentAt = Date.now();
}, 120_000);

type Row = Record<string, unknown>;
type Figures = Row & { freshness: { as_of: string } };

const twoDays = `from=${daysAgo(2)}&to=${daysAgo(1)}`;

/** The answer that counts all that was sent. */
async function ask<T>(path: string): Promise<T & Figures> {
  const answer = await until(
    () => api.get<T & Figures>(`/v1/quizzes/${week.live.quiz_id}/analytics/${path}`),
    ({ status, body }) => status !== 200 || Date.parse(body.freshness.as_of) > sentAt,
  );
  expect([path, answer.status], answer.text).toEqual([path, 200]);
  return answer.body;
}

const euros = (amount: string) => ({ amount, currency: "EUR" });
const near = (ms: number) => expect.closeTo(ms, -2.5);
const titled = (page_key: string) => ({ page_key, title: `Title of ${page_key}`, removed: false });

describe("the funnel", () => {
  interface Funnel {
    pages: (Row & { sessions_dropped: number })[];
    starts: number;
    completions: number;
    in_progress: number;
  }

  it("follows eight starters to their end [funnel.cohort, funnel.views, funnel.page-counts, funnel.page-time, funnel.page-list]", async () => {
    const answer = await ask<Funnel>(`funnel?${twoDays}`);
    expect(answer).toMatchObject({ views: 9, not_started: 1, starts: 8, completions: 5, in_progress: 0 });
    const page = (page_key: string, reached: number, ms: number, more: Row = {}, dropped = 0) => ({
      ...{ ...titled(page_key), sessions_reached: reached, sessions_reached_by_jump: 0 },
      ...{ sessions_continued: reached - dropped, sessions_dropped: dropped, sessions_skipped: 0 },
      ...{ sessions_went_back: 0, avg_time_on_page_ms: near(ms), dropped_share_of_starts: dropped / 8 },
      ...more,
    });
    expect(answer.pages).toEqual([
      page("welcome", 8, 10_000),
      page("skin_page", 8, 20_000, {}, 1),
      page("look_page", 6, (5 * 20_000 + 620_000) / 6, { sessions_skipped: 1 }),
      page("oily_page", 1, 10_000, { sessions_went_back: 1 }, 1),
      page("about_page", 5, 20_000, {}, 1),
      page("contact", 5, 18_000, { sessions_reached_by_jump: 1 }),
      page("result", 5, 20_000),
    ]);
  });

  it("adds up in every range and for every filter [funnel.balance]", async () => {
    const queries = [twoDays, `from=${daysAgo(9)}`, `${twoDays}&channel=popup`, `${twoDays}&new_returning=returning`];
    for (const query of queries) {
      const { starts, completions, in_progress, pages } = await ask<Funnel>(`funnel?${query}`);
      const dropped = pages.reduce((sum, { sessions_dropped }) => sum + sessions_dropped, 0);
      expect([query, starts]).toEqual([query, completions + dropped + in_progress]);
      expect(starts).toBeGreaterThan(0);
    }
  });
});

describe("the paths", () => {
  interface Paths {
    nodes: Row[];
    edges: (Row & { moves: number })[];
  }

  const byMoves = (a: Row, b: Row): number =>
    Number(b["moves"]) - Number(a["moves"]) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

  it("hold every arrival, move and exit [paths.edges, paths.balance, paths.rules, paths.hidden-pages]", async () => {
    const answer = await ask<Paths>(`paths?${twoDays}`);
    expect(answer).toMatchObject({ cohort: "all", sessions: 8, data_start: daysAgo(8) });
    const node = (page_key: string, entries: number, ms: number, more: Row = {}) => ({
      ...{ ...titled(page_key), entries, entries_by_jump: 0, exits_closed: 0, exits_restarted: 0, exits_timed_out: 0 },
      ...{ finished_here: 0, still_here: 0, median_time_on_page_ms: near(ms), ...more },
    });
    expect(answer.nodes).toEqual([
      node("welcome", 8, 10_000),
      node("skin_page", 8, 20_000, { exits_restarted: 1 }),
      node("look_page", 7, 20_000),
      node("oily_page", 2, 10_000, { exits_closed: 1 }),
      node("about_page", 5, 20_000, { exits_timed_out: 1 }),
      node("contact", 5, 20_000, { entries_by_jump: 1 }),
      node("result", 5, 20_000, { finished_here: 5 }),
    ]);
    const edge = (from_page_key: string, to_page_key: string, cause: string, moves: number, more: Row = {}) => ({
      ...{ from_page_key, to_page_key, cause, moves, sessions_moved: moves, ...more },
    });
    expect(answer.edges.toSorted(byMoves)).toEqual(
      [
        edge("welcome", "skin_page", "next", 8),
        edge("skin_page", "look_page", "next", 6),
        edge("skin_page", "contact", "jump", 1, { jump_rule_key: "normal_rule" }),
        edge("look_page", "oily_page", "skip", 1),
        edge("look_page", "oily_page", "next", 1),
        edge("oily_page", "look_page", "back", 1),
        edge("look_page", "about_page", "next", 5),
        edge("about_page", "contact", "next", 4),
        edge("contact", "result", "next", 5),
      ].sort(byMoves),
    );
    const sizes = answer.edges.map(({ moves }) => moves);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(answer).toMatchObject({
      other_paths: { moves: 0, routes: 0 },
      rules: [{ jump_rule_key: "normal_rule", source_page_key: "skin_page", fired: 1, source_entries: 8 }],
      visibility_skips: [{ ...titled("oily_page"), times_hidden: 5 }],
    });
  });

  it("split into those who finished and those who left [paths.cohort]", async () => {
    const finished = await ask<Paths>(`paths?cohort=finished&${twoDays}`);
    expect(finished).toMatchObject({ cohort: "finished", sessions: 5 });
    const exits = ["exits_closed", "exits_restarted", "exits_timed_out", "still_here"];
    const all = ({ nodes }: Paths, names: string[]): number =>
      nodes.reduce((sum, node) => sum + names.reduce((part, name) => part + Number(node[name]), 0), 0);
    expect([all(finished, exits), all(finished, ["finished_here"])]).toEqual([0, 5]);
    const left = await ask<Paths>(`paths?cohort=left&${twoDays}`);
    expect(left).toMatchObject({ cohort: "left", sessions: 3 });
    expect([all(left, exits), all(left, ["finished_here"])]).toEqual([3, 0]);
    const entries = (paths: Paths): number => all(paths, ["entries"]);
    expect(entries(finished) + entries(left)).toBe(40);
  });
});

describe("the answers", () => {
  interface Answers {
    answered: number;
    questions: Row[];
    question: Row;
    options: (Row & { chose: number })[];
    buckets: (Row & { low: number; high: number; answered: number })[];
    summary: Row | null;
  }

  const question = (component_key: string, page_key: string, kind: string) => ({
    ...{ component_key, page_key, kind, question: `Question ${component_key}?`, page_title: `Title of ${page_key}` },
  });
  const skin = question("skin", "skin_page", "choice");

  it("of the first question, by option, with what came of them [answers.cohort, answers.outcomes]", async () => {
    const answer = await ask<Answers>(`answers?${twoDays}`);
    expect(answer).toMatchObject({ currency: "EUR", question: skin, answered: 8, buckets: [], summary: null });
    expect(answer.questions).toEqual([
      skin,
      question("concerns", "skin_page", "choice"),
      question("look", "look_page", "choice"),
      question("age", "about_page", "number"),
      question("budget", "about_page", "number"),
    ]);
    const row = (option_id: string, chose: number, [completed = 0, buyers = 0, opted = 0]: number[], sum: string) => ({
      ...{ option_id, label: `Label of ${option_id}`, kind: "choice", image_url: null, removed: false, chose },
      ...{ completed, buyers, answer_orders: buyers, opted_in: opted, chose_share: chose / 8 },
      ...{ completion_rate: completed / chose, buyer_rate: buyers / chose, opt_in_rate: opted / chose },
      answer_revenue: euros(sum),
    });
    expect(answer.options).toEqual([
      row("oily", 2, [0, 0, 0], "0.00"),
      row("dry", 5, [4, 1, 2], "40.00"),
      row("normal", 1, [1, 1, 0], "12.00"),
    ]);
  });

  it("of a question with pictures and of one that nobody answered [answers.questions, answers.outcomes]", async () => {
    const look = await ask<Answers>(`answers?component_key=look&${twoDays}`);
    expect(look.options).toMatchObject([
      { option_id: "matte", kind: "image", image_url: "https://img.example/matte.png", chose: 5, chose_share: 1 },
      { option_id: "dewy", kind: "image", image_url: null, chose: 0, completion_rate: null, buyer_rate: null },
    ]);
    const none = await ask<Answers>(`answers?component_key=budget&${twoDays}`);
    expect(none).toMatchObject({ answered: 0, options: [], buckets: [], summary: null });
  });

  it("of a number, in at most ten buckets, and summed up [answers.number-buckets, answers.number-summary]", async () => {
    const { buckets, ...answer } = await ask<Answers>(`answers?component_key=age&${twoDays}`);
    const summary = { count: 5, min: 25, max: 41, mean: 34, median: 33 };
    expect(answer).toMatchObject({
      answered: 5,
      options: [],
      summary,
      question: question("age", "about_page", "number"),
    });
    const ages: [number, boolean][] = [
      ...([
        [41, true],
        [41, true],
        [25, true],
        [33, true],
        [30, false],
      ] satisfies [number, boolean][]),
    ];
    expect(buckets.length).toBeLessThanOrEqual(10);
    for (const [index, { low, high, answered, completed }] of buckets.entries()) {
      const inside = ages.filter(([age]) => low <= age && age < high);
      expect([low, high, answered, completed]).toEqual([
        ...[24 + index * 2, 26 + index * 2, inside.length, inside.filter(([, done]) => done).length],
      ]);
    }
    expect(buckets.find(({ low }) => low === 40)).toMatchObject({
      ...{ answered: 2, answered_share: 0.4, completed: 2, completion_rate: 1, buyers: 1, buyer_rate: 0.5 },
      ...{ answer_orders: 1, opted_in: 1, opt_in_rate: 0.5, answer_revenue: euros("40.00"), label: expect.any(String) },
    });
  });

  it("of the visits that a filter leaves [analytics.filters]", async () => {
    const answer = await ask<Answers>(`answers?${twoDays}&channel=popup`);
    expect([answer.answered, answer.options.map(({ chose }) => chose)]).toEqual([3, [1, 1, 1]]);
  });
});
