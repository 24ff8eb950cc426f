import type { RuledBlockAnswer } from "../../contract/storefront-products.ts";
import type { Answers, Page, PickedProducts, ProductPick } from "../../engine/document.ts";
import { stepFrom } from "../../engine/path.ts";
import type { ShownProduct } from "../../engine/products.ts";
import type { PlacedBlock, Quiz } from "../../engine/quiz.ts";
import { visibility } from "../../engine/visibility.ts";
import { toJson } from "../json.ts";
import type { CatalogProduct } from "../live-quiz.ts";
import type { SessionRecorder } from "../record/types.ts";
import type { NewEvent, Notice, Run } from "../run/types.ts";

/** After this many ms without a response the server counts as away. */
const patienceMs = 10_000;
/** Answers that follow each other at once, as from a slider, are asked about together. */
const restMs = 120;
/** What is older is asked again when the shopper comes to its page: the shop may sell it no longer. */
const freshMs = 60_000;
/** of blocks in one request, as many as the server takes */
const mostBlocks = 20;
/** of answers that are kept for shoppers who go back and forth */
const mostKept = 100;

export interface Asked {
  run: Run;
  quiz: Quiz;
  /** those of `quiz`, in which products are put in place of rules */
  blocks: Map<string, PlacedBlock>;
  /** by the keys of the blocks with rules: whether the shopper chooses among a product's variants */
  ruled: ReadonlyMap<string, boolean>;
  /** the quiz's; products that the server names are added */
  catalog: CatalogProduct[];
  /** asked by POST */
  url: string;
  /** what every request has beside answers and blocks */
  body: object;
  recorder: SessionRecorder | null;
}

interface Answered {
  blocks: RuledBlockAnswer[];
  catalog: CatalogProduct[];
}

interface Kept {
  block: RuledBlockAnswer;
  isOld: boolean;
  /** whether it is to be asked for again, and offered until then */
  isDue: boolean;
}

/** Asks the server which products a run's blocks with rules show, and puts them into its quiz [player.ruled-products]. */
export class Asking {
  readonly #deps: Asked;
  /** by answers and block, the oldest first */
  readonly #kept = new Map<string, Kept>();
  /** by block: what is offered; null: not known */
  readonly #offered = new Map<string, RuledBlockAnswer | null>();
  /** blocks reported as empty, with session and answers */
  readonly #reported = new Set<string>();
  /** what was last asked for; an answer to anything else comes too late */
  #wanted = "";
  #asking = new AbortController();
  #timer = 0;
  #page: Page | null = null;
  hasFailed = false;

  constructor(deps: Asked) {
    this.#deps = deps;
  }

  /** Offers what is known for the page that is shown and the next, and asks for what is not. */
  look(): void {
    const { run, quiz } = this.#deps;
    const { page, answers } = run.view;
    const step = stepFrom(quiz, page?.page_key ?? "", visibility(quiz, answers));
    const given = toJson([...answers]);
    const here = this.#ruledOn(page);
    const ahead = this.#ruledOn(step.kind === "page" ? quiz.pages.get(step.page_key)?.page : null);
    const near = [...new Set([...here, ...ahead])];
    const isArriving = page !== this.#page;
    if (isArriving) for (const key of near) this.#age(given + key);
    this.#page = page;
    const unknown = near.filter((key) => this.#kept.get(given + key)?.isDue !== false).slice(0, mostBlocks);
    const wanted = toJson([given, unknown]);
    if (unknown.length === 0) this.#drop("");
    // what failed ahead is asked for again on arrival
    else if (wanted !== this.#wanted || (isArriving && this.hasFailed)) {
      this.#drop(wanted);
      const rest = here.some((key) => unknown.includes(key)) ? 0 : restMs;
      this.#timer = window.setTimeout(() => this.#ask(wanted, answers, unknown), rest);
    }
    // those of the next page are there when the shopper arrives
    for (const key of near) this.#offer(key, this.#kept.get(given + key)?.block ?? null);
    for (const key of here) this.#reportEmpty(key, given, page?.page_key ?? "");
  }

  tryAgain(): void {
    this.#wanted = "";
    this.look();
  }

  /** Whether the block's products are not known yet. */
  awaits(block_key: string): boolean {
    return this.#deps.ruled.has(block_key) && !this.#offered.get(block_key);
  }

  /** Completes what a run reports of products by what the server said of them. */
  complete(report: NewEvent | Notice): void {
    if (report.type === "products_shown") {
      report.products = this.#shown(report.block_key) ?? report.products;
      const offered = this.#offered.get(report.block_key);
      if (offered) report.rule_keys = offered.rule_keys;
    } else if (report.type === "result") {
      report.products = [...this.#deps.run.view.products].flatMap(([key, shown]) => this.#shown(key) ?? shown);
    }
  }

  #shown(block_key: string): ShownProduct[] | undefined {
    return this.#offered.get(block_key)?.products.map(({ reasons: _, ...product }) => product);
  }

  /** Stops what is being asked for, in favour of something else. */
  #drop(wanted: string): void {
    this.#wanted = wanted;
    this.hasFailed = false;
    clearTimeout(this.#timer);
    this.#asking.abort();
  }

  #ruledOn(page: Page | null | undefined): string[] {
    const { ruled } = this.#deps;
    return (page?.components ?? []).flatMap((one) =>
      one.kind === "products" && ruled.has(one.block_key) ? one.block_key : [],
    );
  }

  #offer(key: string, answer: RuledBlockAnswer | null): void {
    const { run, blocks, ruled } = this.#deps;
    const placed = blocks.get(key);
    if (placed === undefined || (this.#offered.get(key) ?? null) === answer) return;
    this.#offered.set(key, answer);
    const choosesVariant = ruled.get(key) === true;
    const picks = (answer?.products ?? []).map(({ product_id, variant_id }) => ({
      ...{ product_id, variant_id: choosesVariant ? null : variant_id, when: null, dimension_id: null },
    }));
    blocks.set(key, { ...placed, block: pickedBlock(key, picks) });
    run.completeStep();
  }

  /** A run does not report blocks without products; that rules found none is worth knowing. */
  #reportEmpty(block_key: string, given: string, page_key: string): void {
    const { recorder } = this.#deps;
    const answer = this.#offered.get(block_key);
    const report = toJson([recorder?.sessionId, given, block_key]);
    if (answer?.products.length !== 0 || this.#reported.has(report)) return;
    this.#reported.add(report);
    recorder?.add({ type: "products_shown", page_key, block_key, products: [], rule_keys: answer.rule_keys });
  }

  async #ask(wanted: string, answers: Answers, block_keys: readonly string[]): Promise<void> {
    const { url, body, catalog } = this.#deps;
    const asking = new AbortController();
    this.#asking = asking;
    const patience = setTimeout(() => asking.abort(), patienceMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        // needs no request before it
        headers: { "Content-Type": "text/plain" },
        body: toJson({ ...body, answers: Object.fromEntries(answers), block_keys }),
        signal: asking.signal,
        credentials: "omit",
      });
      if (!response.ok) throw new Error(String(response.status));
      const answered = (await response.json()) as Answered;
      if (this.#wanted !== wanted) return;
      addTo(catalog, answered);
      for (const block_key of block_keys) {
        const block = answered.blocks.find((one) => one.block_key === block_key);
        this.#keep(toJson([...answers]) + block_key, block ?? { block_key, products: [], rule_keys: [] });
      }
    } catch {
      if (this.#wanted !== wanted) return;
      this.hasFailed = true;
    } finally {
      clearTimeout(patience);
    }
    this.#deps.run.completeStep();
  }

  #age(key: string): void {
    const kept = this.#kept.get(key);
    if (kept?.isOld) kept.isDue = true;
  }

  #keep(key: string, block: RuledBlockAnswer): void {
    this.#kept.delete(key);
    const kept = { block, isOld: false, isDue: false };
    this.#kept.set(key, kept);
    setTimeout(() => {
      kept.isOld = true;
    }, freshMs);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** A block with products in place of its rules. */
export function pickedBlock(block_key: string, products: readonly ProductPick[]): PickedProducts {
  return { kind: "products", block_key, source: "fixed", products: [...products], limit: products.length };
}

/** Products as they are now, with the variants first that the rules chose: the first that can be bought is preselected. */
function addTo(catalog: CatalogProduct[], { blocks, catalog: named }: Answered): void {
  const chosen = new Set(blocks.flatMap(({ products }) => products.map(({ variant_id }) => variant_id)));
  for (const product of named) {
    const at = catalog.findIndex(({ product_id }) => product_id === product.product_id);
    const [first, others] = [true, false].map((isChosen) =>
      product.variants.filter(({ variant_id }) => chosen.has(variant_id) === isChosen),
    );
    const variants = [...(first ?? []), ...(others ?? [])];
    catalog.splice(at < 0 ? catalog.length : at, at < 0 ? 0 : 1, { ...product, variants });
  }
}
