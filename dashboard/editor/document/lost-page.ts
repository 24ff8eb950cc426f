import type { QuizDocument } from "../../../engine/document.ts";

/** Why a page is unreachable: jumps that skip it, or an earlier result page, which ends the quiz. Pure. */
export interface Past {
  /** indexes of the jumps */
  jumps: number[];
  /** index of the page */
  result: number | null;
}

export function waysPast({ pages, jump_rules }: QuizDocument, page: number): Past {
  const placeOf = (key: string): number => pages.findIndex(({ page_key }) => page_key === key);
  const jumps = jump_rules.flatMap((rule, index) => {
    const [from, to] = [placeOf(rule.source_page_key), placeOf(rule.target_page_key)];
    return from !== -1 && from < page && to > page ? index : [];
  });
  const result = pages.findLastIndex(({ kind }, index) => kind === "result" && index < page);
  return { jumps, result: result === -1 ? null : result };
}
