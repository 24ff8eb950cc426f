/** @jsxImportSource #draw */
import type { RuledBlockAnswer } from "../../contract/storefront-products.ts";
import type { Page } from "../../engine/document.ts";
import { stepFrom } from "../../engine/path.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { visibility } from "../../engine/visibility.ts";
import { toJson } from "../json.ts";
import type { CatalogProduct } from "../live-quiz.ts";
import type { Run } from "../run/types.ts";
import { languageOf } from "../texts/load-texts.ts";
import type { Stage } from "../view/stage.ts";
import { awayTexts } from "./texts.ts";

/** What only quizzes with products by rule need, in a file of its own [player.size]. */

/** After this many ms without a response the server counts as away. */
const patienceMs = 10_000;
/** Answers that follow each other at once, as from a slider, are asked about together. */
const restMs = 120;

export interface Following {
  run: Run;
  quiz: Quiz;
  /** the quiz's; what the server answers is added */
  catalog: CatalogProduct[];
  /** asked by POST */
  url: string;
  /** what every request has beside answers and blocks */
  body: object;
  signal: AbortSignal;
}

interface Answered {
  blocks: RuledBlockAnswer[];
  catalog: CatalogProduct[];
}

/**
 * Asks the server for the products of blocks with rules, as soon as the page with them is the next one, and anew when an
 * answer changes [player.ruled-products].
 */
export function followRules(following: Following): void {
  const { run, signal } = following;
  const asking = new Asking(following);
  askings.set(run, asking);
  asking.look();
  signal.addEventListener(
    "abort",
    run.onView(() => asking.look()),
  );
}

const askings = new WeakMap<Run, Asking>();

class Asking {
  readonly #following: Following;
  /** by answers and block */
  readonly #answered = new Map<string, RuledBlockAnswer>();
  /** what was asked last, and whether it failed */
  #asked = "";
  #timer = 0;
  hasFailed = false;

  constructor(following: Following) {
    this.#following = following;
    addEventListener("online", () => this.hasFailed && this.again(), { signal: following.signal });
  }

  /** Offers what is known for the page that is shown, and asks for what is not, there and on the next page. */
  look(): void {
    const { run, quiz } = this.#following;
    const { page, answers } = run.view;
    const step = stepFrom(quiz, page?.page_key ?? "", visibility(quiz, answers));
    const next = step.kind === "page" ? (quiz.pages.get(step.page_key)?.page ?? null) : null;
    const given = toJson([...answers]);
    const here = ruledOn(page);
    const block_keys = [...new Set([...here, ...ruledOn(next)])].filter((key) => !this.#answered.has(given + key));
    const wanted = toJson([given, block_keys]);
    if (block_keys.length > 0 && wanted !== this.#asked) {
      this.#asked = wanted;
      this.hasFailed = false;
      clearTimeout(this.#timer);
      const isHere = here.some((key) => block_keys.includes(key));
      this.#timer = window.setTimeout(() => this.#ask(wanted, given, block_keys), isHere ? 0 : restMs);
    }
    for (const key of here) run.offer(key, this.#answered.get(given + key) ?? null);
  }

  again(): void {
    this.#asked = "";
    this.look();
  }

  async #ask(wanted: string, given: string, block_keys: string[]): Promise<void> {
    const { run, url, body, catalog, signal } = this.#following;
    const answers = Object.fromEntries(run.view.answers);
    try {
      const response = await fetch(url, {
        method: "POST",
        // needs no request before it
        headers: { "Content-Type": "text/plain" },
        body: toJson({ ...body, answers, block_keys }),
        signal: AbortSignal.timeout(patienceMs),
        credentials: "omit",
      });
      if (!response.ok) throw new Error(String(response.status));
      const answered = (await response.json()) as Answered;
      for (const block of answered.blocks) this.#answered.set(given + block.block_key, block);
      for (const product of answered.catalog) {
        const at = catalog.findIndex(({ product_id }) => product_id === product.product_id);
        catalog.splice(at < 0 ? catalog.length : at, at < 0 ? 0 : 1, product);
      }
    } catch {
      // what is asked meanwhile fails by itself
      if (this.#asked === wanted) this.hasFailed = true;
    }
    if (!signal.aborted) this.look();
    this.changed();
  }

  /** set by what is drawn */
  changed: () => void = () => {};
}

const ruledOn = (page: Page | null): string[] =>
  (page?.components ?? []).flatMap((part) =>
    part.kind === "products" && part.source === "rules" ? part.block_key : [],
  );

/** Instead of products that the server has yet to choose: a sentence and a button if it cannot be reached. */
export function Waiting({ stage }: { stage: Stage }) {
  const asking = askings.get(stage.run);
  if (asking) asking.changed = stage.drawAgain;
  if (!asking?.hasFailed) return <div class="offers" aria-busy="true" />;
  const press = () => {
    asking.again();
    stage.drawAgain();
  };
  return (
    <div class="nothing" role="alert">
      <p>{awayTexts[languageOf(stage.locale)]}</p>
      <button type="button" class="plain" onClick={press}>
        {stage.texts.try_again}
      </button>
    </div>
  );
}
