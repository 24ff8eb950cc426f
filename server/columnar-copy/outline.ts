import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { numberingOf } from "../../engine/numbering.ts";
import { foldText } from "../platform/fold-text.ts";

/**
 * The keys of one version, each with its label and the number by which fact texts of the version's sessions refer to
 * it.
 */
export interface OutlineRow {
  kind: "page" | "question" | "option" | "formula" | "dimension" | "rule" | "block" | "outcome";
  /** number of the key; for an option, of its question; for an outcome, of its result page */
  idx: number;
  /** number of the option within its question; otherwise 0 */
  sub: number;
  page_key: string | null;
  /**
   * component key (also for options); for pages, rules, blocks and dimensions their own key; for an outcome its value in
   * figures
   */
  key: string;
  /** choice, image, text, email, phone, number, date, formula */
  question_kind: string | null;
  option_id: string | null;
  label: string | null;
  folded: string | null;
}

export function outlineOf(document: QuizDocument): OutlineRow[] {
  const quiz = compileQuiz(document);
  const numbering = numberingOf(quiz);
  const rows: OutlineRow[] = [];
  const add = (kind: OutlineRow["kind"], idx: number | undefined, key: string, more: Partial<OutlineRow> = {}) => {
    const none = { sub: 0, page_key: null, question_kind: null, option_id: null, label: null };
    const row = { kind, idx: idx ?? 0, key, ...none, ...more };
    rows.push({ ...row, folded: row.label === null ? null : foldText(row.label) });
  };
  for (const [key, idx] of numbering.pages) add("page", idx, key, { page_key: key });
  for (const { page_key, kind, title, outcome } of document.pages) {
    if (kind !== "result") continue;
    const { dimension_id = null } = outcome ?? {};
    const name = document.dimensions.find((dimension) => dimension.dimension_id === dimension_id)?.name;
    const label = name || title || page_key;
    add("outcome", numbering.pages.get(page_key), dimension_id ?? `page:${page_key}`, { page_key, label });
  }
  for (const [key, idx] of numbering.rules) add("rule", idx, key);
  for (const { dimension_id: key, name } of document.dimensions)
    add("dimension", numbering.dimensions.get(key), key, { label: name });
  for (const [key, { placed }] of quiz.blocks)
    add("block", numbering.blocks.get(key), key, { page_key: placed.page.page_key });
  for (const [key, { placed }] of quiz.formulas) {
    const { page_key } = placed.page;
    add("formula", numbering.formulas.get(key), key, { page_key, question_kind: "formula" });
  }
  for (const [key, { component, placed, options }] of quiz.questions) {
    const of = { page_key: placed.page.page_key, question_kind: component.kind };
    const idx = numbering.questions.get(key);
    add("question", idx, key, of);
    for (const { option_id, label } of options.values()) {
      const sub = numbering.options.get(key)?.get(option_id) ?? 0;
      add("option", idx, key, { ...of, sub, option_id, label });
    }
  }
  return rows;
}
