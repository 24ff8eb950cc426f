import { createHash } from "node:crypto";
import type { ShopperEvent } from "../contract/storefront.ts";
import { checkDocument } from "../engine/check.ts";
import { compileQuiz } from "../engine/compile-quiz.ts";
import { isQuestion } from "../engine/kinds/value.ts";
import { lint } from "../engine/lint.ts";
import type { Quiz } from "../engine/quiz.ts";
import { createRun } from "../player/run/create-run.ts";
import type { RunView } from "../player/run/types.ts";
import type { KeptEvent } from "../server/sessions/kept-event.ts";
import { reduceSession } from "../server/sessions/reduce.ts";
import { type Draw, drawFrom, earlierDocument } from "./earlier-documents.ts";
import { answerTo, eventId, historyStart } from "./histories.ts";

/** What a shopper sees and what the server makes of it, for random documents of an earlier release. */

const walksOfEach = 3;
const documentsOfEach = 100;

/** The lint's codes of then; later ones may be added. */
const codes = new Set(
  "never_visible unreachable_page required_never_asked asks_later_page jump_loop jump_rule_never_used ends_without_result dimension_cannot_win dimension_without_products product_block_empty ambiguous_name".split(
    " ",
  ),
);

/** One SHA-256 for each hundred documents, so that a difference is easier to find. */
export function earlierResults(documents: number): string[] {
  const digests: string[] = [];
  for (let first = 0; first < documents; first += documentsOfEach) {
    const hash = createHash("sha256");
    for (let seed = first; seed < first + documentsOfEach; seed += 1) hash.update(JSON.stringify(resultsOf(seed)));
    digests.push(hash.digest("hex"));
  }
  return digests;
}

function resultsOf(seed: number): unknown {
  const draw = drawFrom(seed);
  const checked = checkDocument(earlierDocument(draw));
  if (!checked.ok) throw new Error(`document ${seed}: ${JSON.stringify(checked.problems)}`);
  const findings = lint(checked.document).filter(({ code }) => codes.has(code));
  const quiz = compileQuiz(checked.document);
  const walks = Array.from({ length: walksOfEach }, () => walk(quiz, draw));
  return [checked.document, findings.map(({ code, path, severity }) => [code, path, severity]), walks];
}

/** The steps of a walk as the player shows them, its events, and the session that the server reads from them. */
function walk(quiz: Quiz, draw: Draw): unknown {
  const run = createRun(quiz, null);
  const events: KeptEvent[] = [];
  const notices: unknown[] = [];
  run.onEvent((event) => {
    const time = historyStart + events.length * 1_000;
    const placed = { ...event, id: eventId(events.length), seq: events.length, at: new Date(time).toISOString(), time };
    events.push(placed as ShopperEvent & KeptEvent);
  });
  run.on((notice) => notices.push([notice.type, "page_key" in notice ? notice.page_key : undefined]));
  run.start();
  const seen = [shown(run.view)];
  for (let step = 0; step < 14 && run.view.page !== null; step += 1) {
    const action = draw(10);
    const questions = run.view.page.components.filter(isQuestion);
    const question = questions[draw(Math.max(1, questions.length))];
    const pick = draw(1_000_000);
    if (action < 5 && question) run.answer(question.component_key, answerTo(question, pick), pick % 2 === 0);
    else if (action < 8) seen.push(JSON.stringify(run.next()));
    else if (action < 9) run.back();
    else run.skip();
    seen.push(shown(run.view));
  }
  return [seen, notices, events, sessionOf(quiz, events)];
}

/** The events carry what the recorder adds; the fields named here existed before. */
function shown({ page, position, of, answers, formulas, products, winner, points, ...rest }: RunView): string {
  const { canGoBack, canSkip, isLast, ended, finished, progress } = rest;
  const maps = [answers, formulas, products].map((map) => [...map]);
  return JSON.stringify([
    page,
    position,
    of,
    maps,
    winner,
    points,
    canGoBack,
    canSkip,
    isLast,
    ended,
    finished,
    progress,
  ]);
}

function sessionOf(quiz: Quiz, events: KeptEvent[]): unknown {
  const { state, rejections } = reduceSession({ quiz, events, country: null, now: null });
  const { status, end_reason, answers, answered_count, contacts, opt_ins, outcome, visits, moves, hidden } = state;
  const { points, points_total, winner, formulas } = outcome;
  const given = answers.map(({ component_key, page_key, kind, consent, time, seq, event_id, ...answer }) => [
    component_key,
    page_key,
    kind,
    consent,
    time,
    seq,
    event_id,
    "option_ids" in answer ? answer.option_ids : answer.value,
  ]);
  const score = { points, points_total, winner, formulas };
  const ways = [visits, moves, hidden, state.exit, state.pages_visited, state.last_page_key, state.terminal_page_key];
  return [status, end_reason, given, answered_count, contacts, opt_ins, score, ways, state.shown, [...rejections]];
}
