/** @jsxImportSource #draw */
import type { ProductsComponent } from "../../engine/document.ts";
import type { PlacedBlock } from "../../engine/quiz.ts";
import type { Child } from "../draw/jsx-runtime.ts";
import { createRun } from "../run/create-run.ts";
import type { Run } from "../run/types.ts";
import { Products } from "../view/products.tsx";
import type { MakeRun, PartProps, Stage } from "../view/stage.ts";
import { Asking, pickedBlock } from "./asking.ts";
import { awayTexts } from "./texts.ts";

/** What only quizzes with products by rule need, in a file of its own [player.size]. */

const longestWord = 16;

const asked = new WeakMap<Run, Asking>();

/**
 * A run that asks the server for the products of blocks with rules, as soon as the page with them is the next one, and
 * anew when an answer changes [player.ruled-products].
 */
export const makeRun: MakeRun = (quiz, saved, sells, { live, recorder }, { element, page }) => {
  const ruled = new Map<string, boolean>();
  const blocks = new Map<string, PlacedBlock>();
  for (const [key, { block, placed }] of quiz.blocks) {
    if (block.source === "rules") ruled.set(key, block.unit === "product");
    const own =
      block.source === "rules"
        ? pickedBlock(key, [])
        : { ...block, products: block.products.filter(({ product_id }) => sells(product_id)) };
    blocks.set(key, { block: own, placed });
  }
  const own = { ...quiz, blocks };
  const run = createRun(own, saved);
  // a preview link's token is longer than any other value of the attribute
  const token = element.getAttribute("preview") ?? "";
  const isLink = token.length > longestWord;
  const path = isLink ? `previews/${token}` : `quizzes/${live.quiz_id}`;
  const body = isLink ? {} : { store: element.getAttribute("store"), version_id: live.version_id };
  const url = `${page.base}storefront/v1/${path}/products`;
  const asking = new Asking({ run, quiz: own, blocks, ruled, catalog: live.catalog, url, body, recorder });
  asked.set(run, asking);
  // before the recorder hears of it
  run.onEvent((event) => asking.complete(event));
  run.on((notice) => asking.complete(notice));
  run.onView(() => asking.look());
  asking.look();
  return run;
};

export const awaits = ({ run }: Stage, block_key: string): boolean => asked.get(run)?.awaits(block_key) === true;

/** A block's products; a sentence until they are known, and while the server cannot be reached [player.ruled-products]. */
export function products({ stage, component, id }: PartProps & { component: ProductsComponent }): Child {
  const asking = asked.get(stage.run);
  if (!asking?.awaits(component.block_key)) return <Products stage={stage} block={component} id={id} />;
  const { loading, away } = awayTexts[stage.locale.slice(0, 2)] ?? awayTexts.en;
  if (!asking.hasFailed) {
    return (
      <p key="loading" class="hint" role="status">
        {loading}
      </p>
    );
  }
  return (
    <div key="away" class="nothing" role="alert">
      <p>{away}</p>
      <button type="button" class="plain" onClick={() => asking.tryAgain()}>
        {stage.texts.try_again}
      </button>
    </div>
  );
}
