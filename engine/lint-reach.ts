import type { Condition, JumpRule } from "./document.ts";
import type { PlacedPage, Quiz } from "./quiz.ts";

/** The pages that shoppers can reach, by index; an overestimate, never an underestimate. */
export interface Reach {
  pages: ReadonlySet<number>;
  /** pages that are hidden for every shopper */
  neverVisible: ReadonlySet<number>;
  /** pages on which the quiz can end */
  endsAt: ReadonlySet<number>;
  /** for a reachable page: where its rules may lead; a rule that is missing here never applies */
  jumps: ReadonlyMap<JumpRule, { landings: readonly number[]; always: boolean }>;
  /** from each page, the pages that may follow it */
  next: ReadonlyMap<number, readonly number[]>;
}

/**
 * Follows all ways through the quiz [quiz-documents.lint-paths]. A condition with the same outcome for every shopper (a
 * question on an unreachable page is never answered) permanently opens or closes ways; closing one can give more
 * conditions a fixed outcome, so this repeats until nothing changes, at most once per page.
 */
export function reachOf(quiz: Quiz): Reach {
  const placed = [...quiz.pages.values()];
  let reach = follow(quiz, placed, new Set(placed.keys()));
  for (let before = placed.length; reach.pages.size < before; ) {
    before = reach.pages.size;
    reach = follow(quiz, placed, reach.pages);
  }
  return reach;
}

/** The condition's outcome if it is the same for every shopper, else null. */
function fixedOutcome(condition: Condition, isAsked: (component_key: string) => boolean): boolean | null {
  if ("component_key" in condition) return isAsked(condition.component_key) ? null : condition.op === "not_answered";
  if ("not" in condition) {
    const inner = fixedOutcome(condition.not, isAsked);
    return inner === null ? null : !inner;
  }
  const [parts, decisive] = "all" in condition ? [condition.all, false] : [condition.any, true];
  const outcomes = parts.map((part) => fixedOutcome(part, isAsked));
  if (outcomes.includes(decisive)) return decisive;
  return outcomes.includes(null) ? null : !decisive;
}

function follow(quiz: Quiz, placed: readonly PlacedPage[], asked: ReadonlySet<number>): Reach {
  const isAsked = (key: string): boolean => asked.has(quiz.questions.get(key)?.placed.index ?? -1);
  const outcome = (when: Condition | null): boolean | null => (when === null ? true : fixedOutcome(when, isAsked));
  const visible = placed.map(({ page }) => outcome(page.visible_when));

  const landingsFrom = (index: number): { landings: number[]; end: boolean } => {
    const sure = visible.indexOf(true, index);
    const stop = sure === -1 ? placed.length : sure + 1;
    const landings = [...visible.keys()].filter((at) => at >= index && at < stop && visible[at] !== false);
    return { landings, end: sure === -1 };
  };

  const pages = new Set<number>();
  const endsAt = new Set<number>();
  const jumps = new Map<JumpRule, { landings: number[]; always: boolean }>();
  const next = new Map<number, number[]>();
  const queue = landingsFrom(0).landings;
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    const at = placed[index];
    if (at === undefined || pages.has(index)) continue;
    pages.add(index);
    const ways: { landings: number[]; end: boolean }[] = [];
    let goesOn = true;
    for (const rule of at.rules) {
      const holds = outcome(rule.when);
      const target = quiz.pages.get(rule.target_page_key);
      if (holds === false || target === undefined) continue;
      const way = landingsFrom(target.index);
      ways.push(way);
      jumps.set(rule, { landings: way.landings, always: holds === true });
      goesOn = holds !== true;
      if (!goesOn) break;
    }
    if (goesOn) ways.push(at.page.kind === "result" ? { landings: [], end: true } : landingsFrom(index + 1));
    if (ways.some((way) => way.end)) endsAt.add(index);
    const followers = [...new Set(ways.flatMap((way) => way.landings))];
    next.set(index, followers);
    queue.push(...followers);
  }
  const neverVisible = new Set([...visible.keys()].filter((index) => visible[index] === false));
  return { pages, neverVisible, endsAt, jumps, next };
}

/** Whether a way leads from one page to another; a page leads to itself. */
export function leadsTo(reach: Reach, from: number, to: number): boolean {
  const seen = new Set<number>();
  const queue = [from];
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    if (index === to) return true;
    if (!seen.has(index)) queue.push(...(reach.next.get(index) ?? []));
    seen.add(index);
  }
  return false;
}
