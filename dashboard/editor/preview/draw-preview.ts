import { compileQuiz } from "../../../engine/compile-quiz.ts";
import type {
  AnswerValue,
  Component,
  Page,
  ProductPick,
  QuizDocument,
  RuledProducts,
} from "../../../engine/document.ts";
import { playerFacts } from "../../../engine/player-facts.ts";
import { isVisible } from "../../../engine/visibility.ts";
import type { CatalogProduct } from "../../../player/live-quiz.ts";
import { loadNeeds } from "../../../player/needs/load-needs.ts";
import { createRun } from "../../../player/run/create-run.ts";
import type { Run, SavedRun } from "../../../player/run/types.ts";
import { sanitise } from "../../../player/sanitise/sanitise.ts";
import { languageOf, loadTexts } from "../../../player/texts/load-texts.ts";
import { openScreen } from "../../../player/view/screen.tsx";
import type { Screen } from "../../../player/view/types.ts";

/** Renders the draft with the player itself, as shoppers will see it [editor.preview]. It stores and sends nothing. */

export interface Previewed {
  name: string;
  document: QuizDocument;
  catalog: readonly CatalogProduct[];
  store: { name: string; currency: string };
  /** by block with rules: what the server chose for the answers given here, or a sentence instead */
  ruled: ReadonlyMap<string, readonly ProductPick[] | string>;
}

export interface Preview {
  /** shows a changed draft or other products; the shopper stays on the page, with their answers */
  show(previewed: Previewed): Promise<void>;
  goTo(page_key: string): void;
  restart(): void;
  /** sets or removes answers from outside */
  answer(answers: ReadonlyMap<string, AnswerValue>): void;
  close(): void;
}

export interface PreviewHears {
  /** @param isHeld whether it is shown although its condition does not hold */
  page(page_key: string | null, isHeld: boolean): void;
  answers(answers: ReadonlyMap<string, AnswerValue>): void;
}

/** @param given answers that were given before, in an earlier preview or in the points' grid */
export function openPreview(host: HTMLElement, hears: PreviewHears, given: ReadonlyMap<string, AnswerValue>): Preview {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  let screen: Screen | null = null;
  let run: Run | null = null;
  let shown: Previewed | null = null;
  let isClosed = false;
  let drawn = 0;
  /** the page that is edited, while its condition does not hold for the preview's answers [editor.shown-page] */
  let held: string | null = null;

  const tell = (page: Page | null): void => hears.page(page?.page_key ?? null, page !== null && page.page_key === held);
  const begin = (saved: SavedRun | null): void => {
    if (shown === null) return;
    const begun = runOf(shown, held, saved);
    run = begun;
    begun.onView(({ page, answers }) => {
      if (run !== begun) return;
      tell(page);
      hears.answers(answers);
      // whoever plays on from there goes by the conditions again
      if (held === null || page?.page_key === held) return;
      held = null;
      queueMicrotask(() => run === begun && again(begun.saved));
    });
    if (saved?.page_key == null) begun.start();
    else tell(begun.view.page);
  };
  const draw = async (): Promise<void> => {
    if (shown === null) return;
    drawn += 1;
    const mine = drawn;
    const { document, catalog, ruled: _, ...others } = { ...shown, document: showing(shown.document, held) };
    const locale = document.presentation?.locale ?? "en";
    const player = playerFacts(document);
    // load what HTML needs before rendering
    const [texts, brought] = await Promise.all([loadTexts(languageOf(locale)), loadNeeds(player.needs), sanitise("")]);
    if (isClosed || mine !== drawn || run === null) return;
    screen?.close();
    screen = openScreen(root, {
      live: { quiz_id: "", ...others, document, player, catalog: [...catalog] },
      brought: brought ?? {},
      run,
      recorder: null,
      texts,
      locale,
      dir: dirOf(document.presentation?.dir ?? "auto", locale),
      addToCart: async () => null,
      cartPage: null,
      loadPhones: async () => (await import("../../../player/phones/phones.tsx")).openPhones(`${location.origin}/`),
      earlier: null,
      restart: () => {
        begin(null);
        if (run) screen?.show(run);
      },
      takesFocus: false,
    });
  };
  // renders anew: a screen that gets another run takes the focus, which the editor's user has elsewhere
  const again = (saved: SavedRun | null): void => {
    begin(saved);
    void draw();
  };
  return {
    async show(latest) {
      const [saved, isFirst] = [run?.saved ?? null, shown === null];
      shown = { ...latest, document: withPicks(latest.document, latest.ruled) };
      const isThere = shown.document.pages.some(({ page_key }) => page_key === saved?.page_key);
      begin(saved && isThere ? saved : null);
      if (isFirst && run !== null && given.size > 0) begin({ ...run.saved, answers: [...given] });
      await draw();
    },
    goTo(page_key) {
      if (shown === null || run === null || run.view.page?.page_key === page_key) return;
      held = isVisible(compileQuiz(shown.document), page_key, run.view.answers) ? null : page_key;
      again(standingAt(shown.document, page_key, run.saved));
    },
    restart: () => {
      held = null;
      again(null);
    },
    answer(answers) {
      if (run) again({ ...run.saved, answers: [...answers] });
    },
    close() {
      isClosed = true;
      screen?.close();
    },
  };
}

function runOf({ document, catalog }: Previewed, held: string | null, saved: SavedRun | null): Run {
  const known = new Set(catalog.map(({ product_id }) => product_id));
  return createRun(compileQuiz(showing(document, held)), saved, (product_id) => known.has(product_id));
}

/** The document with a page for everybody. */
function showing(document: QuizDocument, page_key: string | null): QuizDocument {
  const at = document.pages.findIndex((page) => page.page_key === page_key);
  const page = document.pages[at];
  return page ? { ...document, pages: document.pages.with(at, { ...page, visible_when: null }) } : document;
}

/** Only the server knows which products rules choose: they are drawn as if they were chosen by hand. */
const withPicks = (document: QuizDocument, ruled: Previewed["ruled"]): QuizDocument => ({
  ...document,
  pages: document.pages.map((page) => ({
    ...page,
    components: page.components.map((part) =>
      part.kind === "products" && part.source === "rules" ? picked(part, ruled.get(part.block_key) ?? "…") : part,
    ),
  })),
});

const dirOf = (dir: "auto" | "ltr" | "rtl", locale: string): "ltr" | "rtl" =>
  dir === "auto" ? (rightToLeft.has(locale.split("-")[0] ?? "") ? "rtl" : "ltr") : dir;

function picked(block: RuledProducts, chosen: readonly ProductPick[] | string): Component {
  const { block_key, visible_when } = block;
  const condition = visible_when === undefined ? {} : { visible_when };
  if (typeof chosen === "string") {
    return { kind: "content", component_key: block_key, html_text: `<p><em>${chosen}</em></p>`, ...condition };
  }
  return { kind: "products", block_key, source: "fixed", products: [...chosen], limit: chosen.length, ...condition };
}

const rightToLeft = new Set(["ar", "he", "fa", "ur"]);

/** The state of a shopper who reached a page through all pages before it. */
function standingAt(document: QuizDocument, page_key: string, saved: SavedRun): SavedRun {
  const keys = document.pages.map((page) => page.page_key);
  const at = keys.indexOf(page_key);
  return {
    ...saved,
    page_key,
    trail: keys.slice(0, at),
    entered: [...new Set([...saved.entered, ...keys.slice(0, at + 1)])],
    skipped: [],
    finishes: [],
    finished: false,
    ended: false,
    progress: (at + 1) / keys.length,
  };
}
