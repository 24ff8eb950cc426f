import type { AnswerLeaf, Condition, OutcomeLeaf } from "./document.ts";

/** A condition or a part of one. */
interface Part {
  within: Part | null;
  kind: "all" | "any" | "not" | "question";
  /** the number of inner parts without a fixed outcome */
  open: number;
  outcome: boolean | null;
}

/**
 * The outcomes of conditions that are the same for every shopper. Each part of a condition is fixed at most once, so
 * that fixing all of them takes time proportional to their size, in whatever order questions turn out to be never asked.
 */
export class FixedOutcomes {
  readonly #parts = new Map<Condition, Part>();
  /** by page: the parts that ask about a question on it, with their outcome if it is never asked */
  readonly #asking = new Map<number, { part: Part; outcome: boolean }[]>();

  /** @param pageOf the index of a question's page; -1 if there is no such question */
  constructor(conditions: readonly (Condition | null)[], pageOf: (component_key: string) => number) {
    for (const condition of conditions) {
      if (condition !== null) this.#parts.set(condition, this.#add(condition, null, pageOf));
    }
    this.neverAsk(-1);
  }

  /** Null if shoppers differ. */
  of(condition: Condition | null): boolean | null {
    return condition === null ? true : (this.#parts.get(condition)?.outcome ?? null);
  }

  /** Notes that the questions on a page are never answered. */
  neverAsk(page: number): void {
    const asking = this.#asking.get(page) ?? [];
    this.#asking.delete(page);
    for (const { part, outcome } of asking) fix(part, outcome);
  }

  #add(condition: Condition, within: Part | null, pageOf: (component_key: string) => number): Part {
    // Points, winners and formulas count as open, which never hides a way from the author.
    if ("kind" in condition) return { within, kind: "question", open: 0, outcome: null };
    if ("component_key" in condition) {
      const part: Part = { within, kind: "question", open: 0, outcome: null };
      const page = pageOf(condition.component_key);
      const asking = this.#asking.get(page) ?? [];
      asking.push({ part, outcome: condition.op === "not_answered" });
      this.#asking.set(page, asking);
      return part;
    }
    const [kind, inner] = innerOf(condition);
    const part: Part = { within, kind, open: inner.length, outcome: null };
    for (const each of inner) this.#add(each, part, pageOf);
    if (inner.length === 0) fix(part, kind === "all");
    return part;
  }
}

function innerOf(condition: Exclude<Condition, AnswerLeaf | OutcomeLeaf>): [Part["kind"], readonly Condition[]] {
  if ("not" in condition) return ["not", [condition.not]];
  return "all" in condition ? ["all", condition.all] : ["any", condition.any];
}

function fix(part: Part, outcome: boolean): void {
  if (part.outcome !== null) return;
  part.outcome = outcome;
  const { within } = part;
  if (within === null) return;
  within.open -= 1;
  if (within.kind === "not") fix(within, !outcome);
  else if (outcome === (within.kind === "any")) fix(within, outcome);
  else if (within.open === 0) fix(within, within.kind === "all");
}
