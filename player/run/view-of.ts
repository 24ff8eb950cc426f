import { type Step, stepFrom } from "../../engine/path.ts";
import { productsToShow, type ShownProduct } from "../../engine/products.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { formulaValues, pointsOf, winnerOf } from "../../engine/score.ts";
import type { Visibility } from "../../engine/visibility.ts";
import type { RunState } from "./run-state.ts";
import type { RunView } from "./types.ts";

/** Derives what a screen draws from a run's state. */
export function viewOf(quiz: Quiz, state: RunState, seen: Visibility): RunView {
  const { page_key, trail, answers, consents, added, progress, ended, finished } = state;
  const here = quiz.pages.get(page_key ?? "")?.page ?? null;
  const page = here && (quiz.outcomes?.shown(quiz, here, seen) ?? here);
  const points = pointsOf(quiz, seen.counted);
  const winner = winnerOf(points);
  const formulaOf = formulaValues(quiz, seen.counted, points);
  const products = new Map<string, readonly ShownProduct[]>();
  const formulas = new Map<string, number | null>();
  for (const part of page?.components ?? []) {
    if (part.kind === "products") products.set(part.block_key, productsToShow(quiz, part.block_key, answers));
    if (part.kind === "formula") formulas.set(part.component_key, formulaOf(part.component_key));
  }
  const position = page === null ? 0 : trail.length + 1;
  // without a page: the end
  const onward = stepFrom(quiz, page?.page_key ?? "", seen);
  return {
    page,
    position,
    of: position + pagesAhead(quiz, onward, page_key, seen),
    progress,
    answers,
    consents,
    formulas,
    products,
    added,
    winner: winner && { dimension_id: winner.dimension_id, name: winner.name },
    points: Object.fromEntries(points.map(({ dimension_id, total }) => [dimension_id, total])),
    canGoBack: backTarget(trail, seen) >= 0,
    canSkip: page?.skippable === true && onward.kind === "page",
    isLast: onward.kind === "end",
    ended,
    finished,
  };
}

/** How many pages are still ahead; pages that a loop of jumps repeats count once [player.position]. */
function pagesAhead(quiz: Quiz, onward: Step, page_key: string | null, seen: Visibility): number {
  const met = new Set([page_key]);
  for (let step = onward; step.kind === "page" && !met.has(step.page_key); step = stepFrom(quiz, step.page_key, seen)) {
    met.add(step.page_key);
  }
  return met.size - 1;
}

/** The index in the trail that Back leads to: the nearest page that is still visible; -1: none [player.back]. */
export const backTarget = (trail: readonly string[], { page_keys }: Visibility): number =>
  trail.findLastIndex((key) => page_keys.has(key));
