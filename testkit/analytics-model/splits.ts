import type { SplitName } from "../../contract/analytics-filters.ts";
import { echo, groupOf, type Question, type Scope, scopeOf, type World } from "./asked.ts";
import { daysBetween } from "./days.ts";
import { quizId, sessionCounts } from "./overview.ts";
import type { WebhookSession } from "./sessions.ts";

/** Breakdown and traffic [figures.breakdown, figures.traffic-sources, figures.traffic-other]. */

type Row = ReturnType<typeof sessionCounts> & { value: string };

function rowsBy(scope: Scope, value: (session: WebhookSession) => string): Row[] {
  const values = [...new Set(scope.sessions.map(value))];
  return values
    .map((one) => ({ value: one, ...sessionCounts(only(scope, (session) => value(session) === one)) }))
    .filter(({ value: _, ...counts }) => Object.values(counts).some((count) => count > 0))
    .toSorted((a, b) => b.views - a.views || (a.value < b.value ? -1 : 1));
}

const only = (scope: Scope, wanted: (session: WebhookSession) => boolean): Scope => ({
  ...scope,
  sessions: scope.sessions.filter(wanted),
});

/** The name of a result in the newest version that anybody opened, of the newest such quiz [figures.outcomes]. */
function outcomeName({ history, sessions }: World, { quiz: only }: Question, value: string): string {
  const quizzes = history.quizzes
    .map((quiz, index) => ({ ...quiz, index }))
    .filter(({ index }) => only === null || index === only)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  for (const { index, versions } of quizzes) {
    const opened = versions.filter((_, at) =>
      sessions.some(({ given }) => given.quiz === index && given.version === at + 1),
    );
    for (const { document } of opened.toReversed()) {
      const results = document.pages.filter(({ kind }) => kind === "result");
      const page = results.find(({ page_key, outcome }) => (outcome?.dimension_id ?? `page:${page_key}`) === value);
      const dimension = document.dimensions.find(({ dimension_id }) => dimension_id === value);
      if (page) return (page.outcome ? dimension?.name : undefined) ?? page.title;
    }
  }
  return "No result";
}

export function breakdown(world: World, asked: Question, by: SplitName) {
  const scope = scopeOf(world, asked);
  return {
    quiz_id: quizId(world, asked),
    by,
    ...echo(scope, daysBetween(asked.from, asked.to).length),
    rows: rowsBy(scope, (session) => groupOf(session, by)).map((row) => ({
      ...row,
      ...(by === "outcome" && { name: outcomeName(world, asked, row.value) }),
    })),
  };
}

export const trafficBy = [
  "referrer_host",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "page_url",
  "placement",
] as const;
export type TrafficBy = (typeof trafficBy)[number];

function sourceOf({ given: { source, page, placement } }: WebhookSession, by: TrafficBy): string {
  const { campaign, content, medium, source: origin, term } = source.utm;
  const kept = {
    referrer_host: source.referrer.kept,
    utm_source: origin,
    utm_medium: medium,
    utm_campaign: campaign,
    utm_content: content,
    utm_term: term,
    page_url: page.kept,
    placement,
  }[by];
  return kept ?? (by === "referrer_host" ? "direct" : "none");
}

/** A row in the form that traffic has. */
function trafficRow({ unique_viewers_approx: unique_viewers, ...row }: Row) {
  return { ...row, unique_viewers };
}

export function traffic(world: World, asked: Question & { quiz: number }, by: TrafficBy, limit: number) {
  const scope = scopeOf(world, asked);
  const rows = rowsBy(scope, (session) => sourceOf(session, by));
  const listed = new Set(rows.slice(0, limit).map((row) => row.value));
  const others = sessionCounts(only(scope, (session) => !listed.has(sourceOf(session, by))));
  return {
    quiz_id: quizId(world, asked),
    by,
    ...echo(scope, daysBetween(asked.from, asked.to).length),
    rows: rows.slice(0, limit).map(trafficRow),
    other: trafficRow({ value: "other", ...others }),
  };
}
