import type { Component, Condition } from "./document.ts";
import type { PlacedPage, Quiz } from "./quiz.ts";

/** What decides what, in a document with conditions on totals or of components [engine.decision-order]. */

/** A page, or a component with a condition of its own. */
export interface Decision {
  placed: PlacedPage;
  /** null: the page itself */
  component: Component | null;
  condition: Condition | null;
  /** dotted path of the condition */
  path: string;
}

/** Totals are nodes too, so that the number of edges is proportional to the size of the document. */
export type Node = Decision | Total;
interface Total {
  total: string;
}

export interface Dependencies {
  /** pages, each before its components, in document order */
  decisions: readonly Decision[];
  /** what is decided before a node, in document order */
  before: ReadonlyMap<Node, readonly Node[]>;
}

const known = new WeakMap<Quiz, Dependencies>();

/** Kept, because each decision about a quiz's pages needs them. */
export function dependenciesOf(quiz: Quiz): Dependencies {
  const found = known.get(quiz) ?? new Graph(quiz).dependencies();
  known.set(quiz, found);
  return found;
}

class Graph {
  readonly #quiz: Quiz;
  readonly #decisions: Decision[] = [];
  readonly #pages = new Map<PlacedPage, Decision>();
  /** by component_key of a question: what decides whether its answer counts */
  readonly #questions = new Map<string, Decision>();
  readonly #totals = new Map<string, Total>();
  readonly #before = new Map<Node, Node[]>();

  constructor(quiz: Quiz) {
    this.#quiz = quiz;
    for (const placed of quiz.pages.values()) this.#addPage(placed);
    const all = this.#total("all");
    for (const { dimension_id } of quiz.document.dimensions) this.#add(all, this.#total("points", dimension_id));
    for (const key of quiz.questions.keys()) this.#feed(key);
    for (const [key, { tree }] of quiz.formulas) {
      for (const name of namesIn(tree)) this.#add(this.#total("formula", key), this.#named(name));
    }
    for (const decision of this.#decisions) {
      if (decision.component !== null) this.#add(decision, this.#pages.get(decision.placed));
      const asked = decision.condition === null ? [] : [...this.#asked(decision.condition)];
      for (const node of asked.sort((a, b) => this.#place(a) - this.#place(b))) this.#add(decision, node);
    }
  }

  dependencies(): Dependencies {
    return { decisions: this.#decisions, before: this.#before };
  }

  #addPage(placed: PlacedPage): void {
    const { page, index } = placed;
    const own = { placed, component: null, condition: page.visible_when, path: `pages.${index}.visible_when` };
    this.#decisions.push(own);
    this.#pages.set(placed, own);
    for (const [place, component] of page.components.entries()) {
      const condition = component.visible_when ?? null;
      const path = `pages.${index}.components.${place}.visible_when`;
      const decision = condition === null ? own : { placed, component, condition, path };
      if (decision !== own) this.#decisions.push(decision);
      if (component.kind !== "products" && this.#quiz.questions.has(component.component_key)) {
        this.#questions.set(component.component_key, decision);
      }
    }
  }

  #total(...name: string[]): Total {
    const key = name.join(" ");
    const total = this.#totals.get(key) ?? { total: key };
    this.#totals.set(key, total);
    return total;
  }

  #add(node: Node, earlier: Node | undefined): void {
    if (earlier === undefined) return;
    const before = this.#before.get(node) ?? [];
    before.push(earlier);
    this.#before.set(node, before);
  }

  /** A choice feeds the dimensions that its options give points; 0 points change nothing. */
  #feed(component_key: string): void {
    const fed = new Set<string>();
    for (const { points } of this.#quiz.questions.get(component_key)?.options.values() ?? []) {
      for (const [id, added] of Object.entries(points)) if (added !== 0) fed.add(id);
    }
    for (const id of fed) this.#add(this.#total("points", id), this.#questions.get(component_key));
  }

  /** What a name in an expression stands for, in the order that formulas take. */
  #named(name: string): Node | undefined {
    if (this.#quiz.questions.get(name)?.component.kind === "number") return this.#questions.get(name);
    return this.#total(this.#quiz.formulas.has(name) ? "formula" : "points", name);
  }

  #asked(condition: Condition, found = new Set<Node>()): Set<Node> {
    if ("all" in condition) for (const part of condition.all) this.#asked(part, found);
    else if ("any" in condition) for (const part of condition.any) this.#asked(part, found);
    else if ("not" in condition) this.#asked(condition.not, found);
    else if (!("kind" in condition)) {
      const question = this.#questions.get(condition.component_key);
      if (question !== undefined) found.add(question);
    } else if (condition.kind === "formula") found.add(this.#total("formula", condition.component_key));
    else if (condition.kind === "winner" || condition.dimension_id === null) found.add(this.#total("all"));
    else found.add(this.#total("points", condition.dimension_id));
    return found;
  }

  /** Questions come first, in document order, then totals. */
  #place(node: Node): number {
    return "total" in node ? Number.POSITIVE_INFINITY : node.placed.index;
  }
}

function namesIn(tree: unknown): string[] {
  if (typeof tree === "string") return [tree];
  return Array.isArray(tree) ? tree.slice(1).flatMap(namesIn) : [];
}

/** Decisions in the order in which they are made; a circle is entered at its first page in the document. */
export function decisionOrder({ decisions, before }: Dependencies): Decision[] {
  const order: Decision[] = [];
  const seen = new Set<Node>();
  // no recursion, because a chain may have thousands of components
  for (const start of decisions) {
    const path: { node: Node; next: number }[] = [];
    const visit = (node: Node): void => {
      if (seen.has(node)) return;
      seen.add(node);
      path.push({ node, next: 0 });
    };
    visit(start);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const earlier = before.get(at.node)?.[at.next];
      at.next += 1;
      if (earlier !== undefined) visit(earlier);
      else {
        path.pop();
        if (!("total" in at.node)) order.push(at.node);
      }
    }
  }
  return order;
}
