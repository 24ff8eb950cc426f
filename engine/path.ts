import { holds } from "./conditions.ts";
import type { Answers, JumpRule } from "./document.ts";
import type { PlacedPage, Quiz } from "./quiz.ts";
import { type Visibility, visibility } from "./visibility.ts";

/**
 * The next step of a shopper. `hidden_page_keys` are the hidden pages passed over, in document order, as `page_entered`
 * reports them. A skip leads to the same step; the caller sets its cause.
 */
export type Step =
  | {
      kind: "page";
      page_key: string;
      cause: "start" | "next" | "jump";
      jump_rule_key: string | null;
      hidden_page_keys: string[];
    }
  | { kind: "end"; hidden_page_keys: string[] };

/** The first visible page; the end for a quiz without one. */
export function firstStep(quiz: Quiz, answers: Answers): Step {
  return landing(quiz, 0, visibility(quiz, answers).page_keys, "start", null);
}

/**
 * The next step from a page [engine.next-page]: the first jump rule whose condition holds for the counted answers, else
 * the next visible page in document order. A jump to a hidden page continues at the next visible page after it. A
 * result page ends the quiz unless one of its jump rules applies. An unknown page leads to the end.
 */
export function nextStep(quiz: Quiz, page_key: string, answers: Answers): Step {
  return stepFrom(quiz, page_key, visibility(quiz, answers));
}

/** `nextStep` for answers whose visibility is already computed. */
export function stepFrom(quiz: Quiz, page_key: string, seen: Visibility): Step {
  const from = quiz.pages.get(page_key);
  if (from === undefined) return { kind: "end", hidden_page_keys: [] };
  const { page_keys } = seen;
  const jump = jumpFrom(quiz, from, seen);
  if (jump) return landing(quiz, jump.target.index, page_keys, "jump", jump.rule.jump_rule_key);
  if (from.page.kind === "result") return { kind: "end", hidden_page_keys: [] };
  return landing(quiz, from.index + 1, page_keys, "next", null);
}

/** The jump taken from a page with these answers; undefined: continue in document order. */
function jumpFrom(
  quiz: Quiz,
  from: PlacedPage,
  { counted }: Visibility,
): { rule: JumpRule; target: PlacedPage } | undefined {
  const rule = from.rules.find((candidate) => holds(candidate.when, counted, quiz));
  const target = rule && quiz.pages.get(rule.target_page_key);
  return rule && target && { rule, target };
}

/**
 * Whether `quiz_finished` may complete a session on this page [engine.finish-page]: a result page, or in a quiz without
 * one the last reachable page, which is a visible page with no next step. If all result pages are hidden for these
 * answers, the quiz counts as one without: otherwise such a shopper could never finish.
 */
export function isFinishPage(quiz: Quiz, page_key: string, answers: Answers): boolean {
  return finishPages(quiz, visibility(quiz, answers))(page_key);
}

/** `isFinishPage` for many pages and known visibility; scans the document once. */
export function finishPages(quiz: Quiz, seen: Visibility): (page_key: string) => boolean {
  const { page_keys } = seen;
  const shown = quiz.document.pages.map(({ page_key }) => page_keys.has(page_key));
  const lastShown = shown.lastIndexOf(true);
  const hasResult = quiz.document.pages.some((page, index) => page.kind === "result" && shown[index]);
  return (page_key) => {
    const placed = quiz.pages.get(page_key);
    if (placed === undefined) return false;
    if (placed.page.kind === "result") return true;
    if (hasResult || !page_keys.has(page_key)) return false;
    const onward = jumpFrom(quiz, placed, seen)?.target.index ?? placed.index + 1;
    return onward > lastShown;
  };
}

function landing(
  quiz: Quiz,
  fromIndex: number,
  visible: ReadonlySet<string>,
  cause: "start" | "next" | "jump",
  jump_rule_key: string | null,
): Step {
  const hidden_page_keys: string[] = [];
  for (const { page_key } of quiz.document.pages.slice(fromIndex)) {
    if (visible.has(page_key)) return { kind: "page", page_key, cause, jump_rule_key, hidden_page_keys };
    hidden_page_keys.push(page_key);
  }
  return { kind: "end", hidden_page_keys };
}
