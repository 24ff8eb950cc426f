import { echo, type Question, type Scope, scopeOf, type World } from "./asked.ts";
import { daysBetween } from "./days.ts";
import type { HistoryQuiz } from "./history.ts";
import { pagesOfQuiz, rulesOfQuiz } from "./labels.ts";
import { mean, median, ratio } from "./numbers.ts";
import { dataStart, quizId } from "./overview.ts";
import type { Move, WebhookSession } from "./sessions.ts";

/**
 * Funnel and paths: the sessions whose first answer lies inside the range, each to its end [funnel.cohort,
 * paths.cohort].
 */

export const isInProgress = ({ completed, ended }: WebhookSession): boolean => completed === null && ended === null;
export const hasLeft = ({ completed, ended }: WebhookSession): boolean => completed === null && ended !== null;

export const cohortOf = ({ sessions, inRange }: Scope): WebhookSession[] =>
  sessions.filter((session) => inRange(session.started));

const quizAsked = ({ history }: World, { quiz }: { quiz: number }): HistoryQuiz => {
  const found = history.quizzes[quiz];
  if (!found) throw new Error("no such quiz");
  return found;
};

export function funnel(world: World, asked: Question & { quiz: number }) {
  const scope = scopeOf(world, asked);
  const cohort = cohortOf(scope);
  const views = new Set([...cohort, ...scope.sessions.filter((session) => scope.inRange(session.opened))]).size;
  return {
    quiz_id: quizId(world, asked),
    ...echo(scope, daysBetween(asked.from, asked.to).length),
    views,
    not_started: views - cohort.length,
    starts: cohort.length,
    completions: cohort.filter((session) => session.completed !== null).length,
    in_progress: cohort.filter(isInProgress).length,
    pages: funnelPages(quizAsked(world, asked), cohort),
  };
}

function funnelPages(quiz: HistoryQuiz, cohort: readonly WebhookSession[]) {
  const pages = pagesOfQuiz(quiz).map(({ thing: { page_key, title }, removed }) => {
    const stays = cohort.flatMap((session) => session.pages.get(page_key) ?? []);
    const lastHere = cohort.filter((session) => session.exit?.page === page_key);
    const dropped = lastHere.filter(hasLeft).length;
    return {
      page_key,
      title,
      removed,
      sessions_reached: stays.length,
      sessions_reached_by_jump: stays.filter((stay) => stay.firstByJump).length,
      sessions_continued: stays.length - dropped - lastHere.filter(isInProgress).length,
      sessions_dropped: dropped,
      sessions_skipped: stays.filter((stay) => stay.skipped).length,
      sessions_went_back: stays.filter((stay) => stay.wentBack).length,
      avg_time_on_page_ms: mean(stays.flatMap((stay) => stay.ms ?? [])),
      dropped_share_of_starts: ratio(dropped, cohort.length),
    };
  });
  return pages.filter((page) => !page.removed || page.sessions_reached > 0);
}

export type Cohort = "all" | "finished" | "left";

/** All edges, largest first; the answer lists the first 60 and summarises the others. */
export function paths(world: World, asked: Question & { quiz: number }, cohort: Cohort) {
  const scope = scopeOf(world, asked);
  const quiz = quizAsked(world, asked);
  const sessions = cohortOf(scope).filter((session) => {
    if (cohort === "finished") return session.completed !== null;
    return cohort === "all" || hasLeft(session);
  });
  return {
    quiz_id: quizId(world, asked),
    ...echo(scope, daysBetween(asked.from, asked.to).length),
    cohort,
    sessions: sessions.length,
    data_start: dataStart(world, asked),
    nodes: nodesOf(quiz, sessions),
    edges: edgesOf(sessions),
    rules: rulesFired(quiz, sessions),
    visibility_skips: pagesOfQuiz(quiz)
      .map(({ thing: { page_key, title }, removed }) => {
        const times_hidden = sessions.flatMap(({ hidden }) => hidden.filter((key) => key === page_key)).length;
        return { page_key, title, removed, times_hidden };
      })
      .filter((page) => page.times_hidden > 0),
  };
}

function nodesOf(quiz: HistoryQuiz, sessions: readonly WebhookSession[]) {
  const nodes = pagesOfQuiz(quiz).map(({ thing: { page_key, title }, removed }) => {
    const arrivals = sessions.flatMap(({ way }) => way.filter((arrival) => arrival.page === page_key));
    const ends = (reason: string) =>
      sessions.filter(({ exit }) => exit?.page === page_key && exit.reason === reason).length;
    return {
      page_key,
      title,
      removed,
      entries: arrivals.length,
      entries_by_jump: arrivals.filter((arrival) => arrival.cause === "jump").length,
      exits_closed: ends("closed"),
      exits_restarted: ends("restarted"),
      exits_timed_out: ends("timed_out"),
      finished_here: ends("finished"),
      still_here: ends("still_here"),
      median_time_on_page_ms: median(sessions.flatMap(({ pages }) => pages.get(page_key)?.ms ?? [])),
    };
  });
  return nodes.filter((node) => !node.removed || node.entries > 0);
}

const edgeOf = ({ from, to, cause, rule }: Move): string => JSON.stringify([from, to, cause, rule]);

export interface Edge {
  from_page_key: string;
  to_page_key: string;
  cause: string;
  jump_rule_key?: string;
  moves: number;
  sessions_moved: number;
}

function edgesOf(sessions: readonly WebhookSession[]): Edge[] {
  const moves = sessions.flatMap((session) => session.moves);
  const edges = [...new Map(moves.map((move) => [edgeOf(move), move])).entries()].map(([key, move]): Edge => {
    const own = (session: WebhookSession) => session.moves.filter((other) => edgeOf(other) === key);
    return {
      from_page_key: move.from,
      to_page_key: move.to,
      cause: move.cause,
      ...(move.rule === null ? {} : { jump_rule_key: move.rule }),
      moves: sessions.flatMap(own).length,
      sessions_moved: sessions.filter((session) => own(session).length > 0).length,
    };
  });
  return edges.toSorted((a, b) => b.moves - a.moves);
}

function rulesFired(quiz: HistoryQuiz, sessions: readonly WebhookSession[]) {
  return rulesOfQuiz(quiz)
    .map(({ thing: { jump_rule_key, source_page_key }, removed }) => ({
      jump_rule_key,
      source_page_key,
      fired: sessions.flatMap(({ moves }) => moves.filter((move) => move.rule === jump_rule_key)).length,
      source_entries: sessions.flatMap(({ way }) => way.filter((arrival) => arrival.page === source_page_key)).length,
      removed,
    }))
    .filter((rule) => !rule.removed || rule.fired > 0)
    .map(({ removed, source_page_key, source_entries, ...rule }) => {
      // a removed rule's source page is not in any live version, so it is not promised
      return removed ? rule : { ...rule, source_page_key, source_entries };
    });
}
