import type { JumpRule } from "./document.ts";
import { FixedOutcomes } from "./fixed-outcomes.ts";
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
  /** whether a way leads from one page to another; a page leads to itself */
  leadsTo: (from: number, to: number) => boolean;
}

/**
 * Follows all ways through the quiz [quiz-documents.lint-paths]. A condition with the same outcome for every shopper (a
 * question on an unreachable page is never answered) permanently opens or closes ways; closing one can give more
 * conditions a fixed outcome, so this repeats until nothing changes, at most once per page. Each repetition takes time
 * proportional to the number of pages and rules, not to the sizes of conditions or to the number of ways.
 */
export function reachOf(quiz: Quiz): Reach {
  const placed = [...quiz.pages.values()];
  const conditions = [
    ...placed.map(({ page }) => page.visible_when),
    ...quiz.document.jump_rules.map(({ when }) => when),
  ];
  const outcomes = new FixedOutcomes(conditions, (key) => quiz.questions.get(key)?.placed.index ?? -1);
  let ways = new Ways(quiz, placed, outcomes);
  for (let before = placed.length; ways.pages.size < before; ) {
    before = ways.pages.size;
    for (const { index } of placed) if (!ways.pages.has(index)) outcomes.neverAsk(index);
    ways = new Ways(quiz, placed, outcomes);
  }
  return ways.reach();
}

/** The pages on which a shopper may land: those that are not hidden, from an index up to another, without it. */
interface Way {
  from: number;
  stop: number;
}

class Ways {
  readonly pages = new Set<number>();
  readonly #placed: readonly PlacedPage[];
  readonly #visible: readonly (boolean | null)[];
  readonly #endsAt = new Set<number>();
  readonly #jumps = new Map<JumpRule, { way: Way; always: boolean }>();
  readonly #next = new Map<number, Way[]>();
  /** by index: the first page from there that is certainly visible */
  readonly #sure: number[];
  /** by index: a page from there before which all are hidden or already reached */
  readonly #unreached: number[];

  constructor(quiz: Quiz, placed: readonly PlacedPage[], outcomes: FixedOutcomes) {
    this.#placed = placed;
    this.#visible = placed.map(({ page }) => outcomes.of(page.visible_when));
    this.#sure = this.#visible.map(() => placed.length);
    for (let index = placed.length - 1; index >= 0; index -= 1)
      this.#sure[index] = this.#visible[index] === true ? index : (this.#sure[index + 1] ?? placed.length);
    this.#unreached = Array.from({ length: placed.length + 1 }, (_, index) => index);
    const queue = this.#enter(this.#from(0));
    for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
      for (const way of this.#leave(quiz, outcomes, index)) queue.push(...this.#enter(way));
    }
  }

  #from(index: number): Way {
    return { from: index, stop: Math.min((this.#sure[index] ?? this.#placed.length) + 1, this.#placed.length) };
  }

  #ends(index: number): boolean {
    return (this.#sure[index] ?? this.#placed.length) === this.#placed.length;
  }

  /** The pages of a way that were not reached before. */
  #enter({ from, stop }: Way): number[] {
    const entered: number[] = [];
    for (let at = this.#firstUnreached(from); at < stop; at = this.#firstUnreached(at)) {
      if (this.#visible[at] !== false) {
        this.pages.add(at);
        entered.push(at);
      }
      this.#unreached[at] = at + 1;
    }
    return entered;
  }

  #firstUnreached(from: number): number {
    let root = from;
    while (this.#unreached[root] !== root && root < this.#placed.length) root = this.#unreached[root] ?? root + 1;
    for (let at = from; at < root; ) {
      const next = this.#unreached[at] ?? root;
      this.#unreached[at] = root;
      at = next;
    }
    return root;
  }

  /** The ways on from a page. */
  #leave(quiz: Quiz, outcomes: FixedOutcomes, index: number): Way[] {
    const at = this.#placed[index];
    if (at === undefined) return [];
    const ways: Way[] = [];
    const go = (to: number): Way => {
      const way = this.#from(to);
      if (this.#ends(to)) this.#endsAt.add(index);
      ways.push(way);
      return way;
    };
    let goesOn = true;
    for (const rule of at.rules) {
      const holds = outcomes.of(rule.when);
      const target = quiz.pages.get(rule.target_page_key);
      if (holds === false || target === undefined) continue;
      this.#jumps.set(rule, { way: go(target.index), always: holds === true });
      goesOn = holds !== true;
      if (!goesOn) break;
    }
    if (goesOn && at.page.kind === "result") this.#endsAt.add(index);
    else if (goesOn) go(index + 1);
    this.#next.set(index, ways);
    return ways;
  }

  reach(): Reach {
    const hidden = [...this.#visible.keys()].filter((index) => this.#visible[index] === false);
    const landings = ({ from, stop }: Way): number[] => {
      const found: number[] = [];
      for (let at = from; at < stop; at += 1) if (this.#visible[at] !== false) found.push(at);
      return found;
    };
    const jumps = [...this.#jumps].map(
      ([rule, { way, always }]) => [rule, { landings: landings(way), always }] as const,
    );
    const next = new Map([...this.#next].map(([index, ways]) => [index, ways.flatMap(landings)]));
    return {
      pages: this.pages,
      neverVisible: new Set(hidden),
      endsAt: this.#endsAt,
      jumps: new Map(jumps),
      leadsTo: closureOf(next, this.#placed.length),
    };
  }
}

/** Which pages lead to which, over any number of steps (Warshall's algorithm, 32 pages at a time). */
function closureOf(next: ReadonlyMap<number, readonly number[]>, pages: number): Reach["leadsTo"] {
  const words = Math.ceil(pages / 32);
  const rows = new Uint32Array(pages * words);
  const has = (from: number, to: number): boolean => (((rows[from * words + (to >> 5)] ?? 0) >>> (to & 31)) & 1) === 1;
  for (const [from, followers] of next) {
    for (const to of followers) {
      const at = from * words + (to >> 5);
      rows[at] = (rows[at] ?? 0) | (1 << (to & 31));
    }
  }
  for (let through = 0; through < pages; through += 1) {
    for (let from = 0; from < pages; from += 1) {
      if (!has(from, through)) continue;
      for (let word = 0; word < words; word += 1) {
        const at = from * words + word;
        rows[at] = (rows[at] ?? 0) | (rows[through * words + word] ?? 0);
      }
    }
  }
  return (from, to) => from === to || has(from, to);
}
