import type { PageNode, PathRule, PathsAnswer } from "../../../contract/analytics-answers.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { cohorts } from "../../../contract/analytics-values.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { raw, type Statement, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import { within } from "./days.ts";
import { type Definition, definitionOf, type NamedPage, pagesOf, type QuizSelection } from "./definition.ts";
import { dataStart } from "./life.ts";
import { type FiredRule, readMoves } from "./moves.ts";
import { narrowed, ofQuiz, ofScope, type Scope, scopeOf } from "./scope.ts";
import { type PageVisits, readPageVisits } from "./visits.ts";

export type Cohort = (typeof cohorts)[number];

/**
 * The part of the funnel's cohort that was requested, as a condition on `sessions` or `segments`; null for all of it.
 */
const cohortOf = (cohort: Cohort, alias: string): Statement | null =>
  cohort === "all" ? null : sql`${raw(alias)}.status = ${cohort === "finished" ? "completed" : "left"}`;

/**
 * The paths that a quiz's shoppers took. The cohort is the funnel's: sessions whose first answer is in the range,
 * whenever they moved [paths.cohort]. Moves after the finish are not recorded. For each node [paths.balance]
 *
 *   entries = exits + finished_here + still_here + moves out
 */
export async function paths(
  query: CopyQuery,
  db: StoreRunner,
  selection: QuizSelection,
  cohort: Cohort,
): Promise<FiguresOf<PathsAnswer>> {
  const { quizId, range } = selection;
  const scope = await scopeOf(query, selection);
  const part: Part = { selection, scope, cohort };
  const [exits, visited, { edges, other_paths, fired }, skipped, data_start, definition] = await Promise.all([
    readExits(query, part),
    readPageVisits(query, cohortRows("visits", "v", part)),
    readMoves(query, cohortRows("moves", "m", part)),
    readHidden(query, part),
    dataStart(query, scope, range),
    definitionOf(db, quizId),
  ]);
  const visits = new Map(visited.map((row) => [row.page_key, row]));
  const hidden = new Map(skipped.map((row) => [row.page_key, row.times]));
  return {
    quiz_id: formatId("quiz", quizId),
    cohort,
    sessions: exits.reduce((sum, { sessions }) => sum + sessions, 0),
    data_start,
    nodes: pagesOf(definition, visits.keys()).map((page) => nodeOf(page, visits.get(page.page_key), exits)),
    edges,
    other_paths,
    rules: rulesOf(definition, fired, visits),
    visibility_skips: pagesOf(definition, hidden.keys())
      .map((page) => ({ ...page, times_hidden: hidden.get(page.page_key) ?? 0 }))
      .filter((skip) => skip.times_hidden > 0),
  };
}

interface Part {
  selection: QuizSelection;
  scope: Scope;
  cohort: Cohort;
}

interface ExitsRow {
  page_key: string | null;
  exit_reason: "finished" | "closed" | "restarted" | "timed_out" | "still_here" | null;
  sessions: number;
}

function readExits(query: CopyQuery, { selection, scope, cohort }: Part): Promise<ExitsRow[]> {
  return query(sql<ExitsRow>`
    SELECT p.page_key, e.exit_reason, e.sessions FROM (
      SELECT s.exit_page, s.exit_reason, count(*) AS sessions FROM sessions AS s
      WHERE ${ofScope(scope)} AND ${within(selection.range, "s.started")} AND ${cohortOf(cohort, "s") ?? raw("true")}
      GROUP BY ALL) AS e
    LEFT JOIN pages AS p ON p.page = e.exit_page`);
}

/** The cohort's rows of a table, as `alias`. The table must have a session, a quiz and the session's start. */
function cohortRows(table: string, alias: string, { selection, scope, cohort }: Part): Statement {
  return sql`FROM ${raw(table)} AS ${raw(alias)} ${narrowed(scope, cohortOf(cohort, "g"))}
      WHERE ${ofQuiz(scope, alias)} AND ${within(selection.range, `${alias}.started`)}`;
}

function readHidden(query: CopyQuery, part: Part): Promise<{ page_key: string; times: number }[]> {
  return query(sql<{ page_key: string; times: number }>`
    SELECT p.page_key, sum(h.times) AS times
    FROM (SELECT h.page, sum(h.times) AS times ${cohortRows("hidden", "h", part)} GROUP BY h.page) AS h
    JOIN pages AS p USING (page) GROUP BY p.page_key`);
}

function nodeOf(page: NamedPage, visits: PageVisits | undefined, exits: readonly ExitsRow[]): PageNode {
  const ended = (reason: ExitsRow["exit_reason"]) =>
    exits.find((exit) => exit.page_key === page.page_key && exit.exit_reason === reason)?.sessions ?? 0;
  return {
    ...page,
    entries: visits?.entries ?? 0,
    entries_by_jump: visits?.entries_by_jump ?? 0,
    exits_closed: ended("closed"),
    exits_restarted: ended("restarted"),
    exits_timed_out: ended("timed_out"),
    finished_here: ended("finished"),
    still_here: ended("still_here"),
    median_time_on_page_ms: visits?.median_time ?? null,
  };
}

/**
 * The current rules in their order, then removed ones that fired, in the order of the quiz's list [paths.rules]. A rule
 * that is in no version any more is listed under the page it fired from most often.
 */
function rulesOf(
  { jump_rules }: Definition,
  fired: readonly FiredRule[],
  visits: ReadonlyMap<string, PageVisits>,
): PathRule[] {
  const used = new Set(fired.map((rule) => rule.jump_rule_key));
  const listed = jump_rules.filter((rule) => !rule.removed || used.has(rule.jump_rule_key));
  const sources = new Map(listed.map((rule) => [rule.jump_rule_key, rule.source_page_key]));
  for (const { jump_rule_key: key, from_page_key: from } of fired) if (!sources.has(key)) sources.set(key, from);
  const times = new Map<string, number>();
  for (const { jump_rule_key: key, moves } of fired) times.set(key, (times.get(key) ?? 0) + moves);
  return Array.from(sources, ([jump_rule_key, source_page_key]) => ({
    jump_rule_key,
    source_page_key,
    fired: times.get(jump_rule_key) ?? 0,
    source_entries: visits.get(source_page_key)?.entries ?? 0,
  }));
}
