import type { AnswerBody, LatestResult } from "../../contract/profiles.ts";
import { isoTime } from "../platform/clock.ts";
import { formatId } from "../platform/ids.ts";
import type { CompiledVersion } from "../quizzes/public.ts";
import { answerInWords, type ShownCatalog, sessionResultPage } from "../sessions/public.ts";
import type { FinishedState, ResultRow } from "./detail-read.ts";
import type { Wording, WordingKeys } from "./wording.ts";

/** The result of a completed session, as a person's page shows it [people.latest-results]. */

export interface ResultSurroundings extends ShownCatalog {
  quizName: string;
  /** the version that was taken; null if it no longer exists */
  version: CompiledVersion | null;
  wording: Wording;
}

export function latestResult(row: ResultRow, around: ResultSurroundings): LatestResult {
  const { answers, outcome } = row.state;
  const result_page = sessionResultPage(row.state, { ...around, title: titleOf(row.state, around.wording) });
  return {
    quiz_id: formatId("quiz", row.quiz_id),
    quiz_name: around.quizName,
    session_id: formatId("sess", row.id),
    started_at: isoTime(row.started_at ?? row.opened_at),
    completed_at: isoTime(row.completed_at),
    version_number: around.version?.number ?? null,
    answers: answers.map((answer) => answerBody(answer, around.wording)),
    // dimensions and formulas keep the names under which they were computed
    formulas: outcome.formulas.flatMap(({ component_key, page_key, label, value }) =>
      value === null ? [] : [{ component_key, page_key, label, value }],
    ),
    points: outcome.points,
    points_total: outcome.points_total,
    winner: outcome.winner,
    result_page,
    outcome: result_page?.outcome ?? null,
  };
}

const titleOf = ({ terminal_page_key: key }: FinishedState, wording: Wording): string | null =>
  key === null ? null : (wording.page(key)?.page.title ?? null);

type StoredAnswer = FinishedState["answers"][number];

/** An answer in words, with its question and page, as pages and files show it [people.answers]. */
function answerBody(answer: StoredAnswer, wording: Wording): AnswerBody {
  const { component_key, page_key, kind } = answer;
  const optionIds = "option_ids" in answer ? [...answer.option_ids] : null;
  const options = optionIds?.map((id) => wording.option(component_key, id)) ?? [];
  return {
    component_key,
    page_key,
    question: wording.question(component_key)?.component.question ?? component_key,
    page_title: wording.page(page_key)?.page.title ?? null,
    kind,
    value: "option_ids" in answer ? optionIds : answer.value,
    values: optionIds?.map((id, index) => options[index]?.label ?? id) ?? answerInWords(answer),
    ...("option_ids" in answer && answer.other_text !== undefined && { other_text: answer.other_text }),
    image_urls: kind === "image" ? options.map((option) => option?.image_url ?? null) : [],
    removed: !wording.isPresent(component_key),
  };
}

/** Adds the keys whose wording a result needs to `keys`. */
export function collectKeys({ answers, terminal_page_key }: FinishedState, keys: WordingKeys): void {
  if (terminal_page_key !== null) keys.pages.add(terminal_page_key);
  for (const answer of answers) {
    keys.pages.add(answer.page_key);
    keys.questions.add(answer.component_key);
    if (!("option_ids" in answer)) continue;
    for (const option of answer.option_ids) keys.options.push([answer.component_key, option]);
  }
}
