import { normaliseAnswer } from "../engine/answers.ts";
import { compileQuiz } from "../engine/compile-quiz.ts";
import { score } from "../engine/score.ts";
import type { SessionAnswer } from "../server/sessions/state.ts";
import type { EmbeddedShop } from "./browser-quiz.ts";
import type { Walk, Walked } from "./browser-walks.ts";
import { patience } from "./slowness.ts";
import { sessionRow, storedEvents } from "./storefront.ts";

/** Compares the server's result for a walk's events with what the browser drew. */

/** An answer in the form that its field shows. */
function shownAnswer(answer: SessionAnswer): string | string[] {
  if ("option_ids" in answer) return [...answer.option_ids].sort();
  const { value } = answer;
  if (typeof value !== "object") return String(value);
  return value.time === null ? value.date : `${value.date}T${value.time}`;
}

const answerText = (answer: string | string[]): string =>
  JSON.stringify(typeof answer === "string" ? answer : [...answer].sort());

/** Ignores empty answers, and compares numbers as numbers. */
const answersIn = (answers: Iterable<[string, string | string[]]>): Record<string, string> =>
  Object.fromEntries(
    [...answers]
      .filter(([, answer]) => answer.length > 0 && (typeof answer !== "string" || answer.trim() !== ""))
      .map(([key, answer]) => [key, answerText(answer)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const counts = (keys: readonly string[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const key of [...keys].sort()) found[key] = (found[key] ?? 0) + 1;
  return found;
};

/** The winner by the fields' contents, independent of what was sent to the server. */
function winnerOf({ document }: Walk, { answers }: Walked): string | null {
  const quiz = compileQuiz(document);
  const read = [...answers].flatMap(([key, shown]) => {
    const component = quiz.questions.get(key)?.component;
    const value = component?.kind === "number" && shown !== "" ? Number(shown) : shown;
    const raw = typeof value === "object" ? { option_ids: value } : { value };
    const answer = component && normaliseAnswer(component, raw);
    return answer?.ok && answer.value !== null ? [[key, answer.value] as const] : [];
  });
  return score(quiz, new Map(read)).winner?.dimension_id ?? null;
}

async function mistakesOf(shop: EmbeddedShop, walk: Walk, walked: Walked): Promise<string[]> {
  const row = await sessionRow(shop.t, shop.store, walked.sessionId);
  if (row === undefined) return [`${walked.sessionId} is not there`];
  const { state } = row;
  const told = walk.told.filter(({ detail }) => detail.session_id === walked.sessionId);
  const events = await storedEvents(shop.t, shop.store, walked.sessionId);
  const finished = events.findIndex(({ type }) => type === "quiz_finished");
  const entered = (until = events.length) =>
    events.slice(0, until).flatMap(({ type, data }) => (type === "page_entered" ? data["page_key"] : []));
  const formulas = state.outcome.formulas.filter(({ component_key }) => walked.formulas.has(component_key));
  const isFinished = told.some(({ name }) => name === "finished");
  // reported when the page was shown: an answer on the same page may change it
  const result = told.findLast(({ name }) => name === "result" || name === "answered");
  const pairs: [string, unknown, unknown][] = [
    ["pages", walked.pages, entered()],
    ["last page", walked.pages.at(-1) ?? null, state.last_page_key],
    ["distinct pages", new Set(walked.pages).size, state.pages_visited],
    [
      "answers",
      answersIn(walked.answers),
      answersIn(state.answers.map((one) => [one.component_key, shownAnswer(one)])),
    ],
    [
      "consents",
      state.answers.map(({ component_key, consent }) => (consent === null ? null : walked.consents.get(component_key))),
      state.answers.map(({ consent }) => consent),
    ],
    [
      "products",
      [...walked.products].sort(),
      state.shown.map(({ block_key, product_id, variant_id }) => `${block_key} ${product_id} ${variant_id}`).sort(),
    ],
    ["added", walked.added, state.added.map(({ product_id, variant_id }) => `${product_id} ${variant_id}`)],
    ["finish", isFinished, state.status === "completed"],
    ["winner of these answers", winnerOf(walk, walked), state.outcome.winner?.dimension_id ?? null],
    [
      "formulas",
      [...walked.formulas.values()].map((text) => Number(text.replaceAll(",", "").replace("−", "-"))),
      formulas.map(({ value }) => value && Math.round(value * 1000) / 1000),
    ],
  ];
  // visits after a finish are not counted
  if (finished === -1) {
    const visits = Object.fromEntries(state.visits.map(({ page_key, entries }) => [page_key, entries]));
    pairs.push([
      "visits",
      counts(walked.pages),
      Object.fromEntries(Object.entries(visits).sort(([a], [b]) => (a < b ? -1 : 1))),
    ]);
  }
  if (result?.name === "result" && walked.pages.at(-1) === result.detail.page_key) {
    pairs.push(["winner", result.detail.winner?.dimension_id ?? null, state.outcome.winner?.dimension_id ?? null]);
  }
  return pairs.flatMap(([what, drawn, made]) => {
    const [here, there] = [JSON.stringify(drawn), JSON.stringify(made)];
    return here === there ? [] : [`${what}: the browser showed ${here}, the server has ${there}`];
  });
}

/** The mistakes of a walk, once everything it sent has been processed; empty if there are none. */
export async function mistakesIn(shop: EmbeddedShop, walk: Walk, patienceMs = 5_000 * patience): Promise<string[]> {
  const faults = walk.faults.filter((fault) => !fault.includes("Failed to load resource"));
  const errors = walk.told.flatMap(({ name, detail }) => (name === "error" ? `error ${JSON.stringify(detail)}` : []));
  const until = performance.now() + patienceMs;
  for (;;) {
    const found = [...faults, ...errors];
    for (const walked of walk.sessions) found.push(...(await mistakesOf(shop, walk, walked)));
    // the last events come by beacon, after the page was left
    if (found.length === 0 || performance.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
