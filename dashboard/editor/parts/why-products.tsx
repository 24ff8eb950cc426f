import { Button, Text } from "@mantine/core";
import { Suspense, useState } from "react";
import type { ExplainedProduct, PreviewedBlock } from "../../api/generated.ts";
import { latePart } from "../../app/late.tsx";
import { ProblemNote } from "../../ui/problem-note.tsx";
import { useCatalog, useDocument } from "../context.tsx";
import type { Place } from "../document/edits.ts";
import { ruledAt } from "../document/rules.ts";
import { type Ruled, useRuled } from "../ruled-products.tsx";

const ProductPicker = latePart(() => import("./product-picker.tsx"), "ProductPicker");

/** What the preview's answers lead to, each product with why, and why another one is not there [editor.why-products]. */
export function WhyProducts({ place }: { place: Place }) {
  const key = useDocument((document) => ruledAt(document, place)?.block_key);
  const ruled = useRuled();
  const [isPicking, setPicking] = useState(false);
  const block = ruled.blocks.get(key ?? "");
  const asked = block?.explained.filter(({ product_id }) => ruled.asked.includes(product_id)) ?? [];
  return (
    <section className="qs-ed-condition" aria-label="Products for the preview's answers">
      <h3 className="qs-ed-part">For the preview's answers</h3>
      <State ruled={ruled} block={block} />
      {block && block.products.length > 0 && (
        <ol className="qs-ed-list" aria-label="Shown products">
          {block.products.map(({ product_id, variant_id }) => (
            <Line
              key={`${product_id} ${variant_id}`}
              product_id={product_id}
              said={whyShown(block, product_id)}
              ruled={ruled}
            />
          ))}
        </ol>
      )}
      {asked.length > 0 && (
        <ul className="qs-ed-list" aria-label="Products asked about">
          {asked.map((one) => (
            <Line
              key={one.product_id}
              product_id={one.product_id}
              said={one.not_shown === null ? "Is shown." : whyNot(one, ruled)}
              ruled={ruled}
            />
          ))}
        </ul>
      )}
      {block && (
        <Button size="compact-sm" variant="default" onClick={() => setPicking(true)}>
          Why is another product not shown?
        </Button>
      )}
      {isPicking && (
        <Suspense>
          <ProductPicker
            title="Which products?"
            verb="Explain"
            anyState
            close={() => setPicking(false)}
            choose={(products) => ruled.ask(products.slice(0, 20).map(({ product_id }) => product_id))}
          />
        </Suspense>
      )}
    </section>
  );
}

function State({ ruled, block }: { ruled: Ruled; block: PreviewedBlock | undefined }) {
  if (ruled.state === "failed") return <ProblemNote error={ruled.error} retry={ruled.retry} />;
  const said =
    ruled.state === "flawed"
      ? "Products are chosen once the errors of this draft are corrected."
      : block === undefined
        ? "Choosing…"
        : block.products.length === 0
          ? "No product is left, and there is nothing to show instead."
          : block.products[0]?.source === "fallback"
            ? "Nothing is left of the rules: these are shown instead."
            : "";
  return said === "" ? null : (
    <Text size="sm" c="dimmed" role="status">
      {said}
    </Text>
  );
}

function Line({ product_id, said, ruled }: { product_id: string; said: string; ruled: Ruled }) {
  const { shown } = useCatalog();
  const product = ruled.products.get(product_id);
  return (
    <li className="qs-ed-option">
      <span className="qs-ed-thumb">
        {product?.image_url && <img src={shown(product.image_url)} alt="" loading="lazy" />}
      </span>
      <span className="qs-grow qs-name">
        {titleOf(ruled, product_id)}
        <Text span size="xs" c="dimmed" display="block">
          {said}
        </Text>
      </span>
    </li>
  );
}

const titleOf = (ruled: Ruled, id: string): string => ruled.products.get(id)?.title ?? id.split("/").at(-1) ?? id;

const points = (score: number): string => (score === 1 ? "1 point" : `${score} points`);

function whyShown({ explained, products }: PreviewedBlock, product_id: string): string {
  const one = explained.find((each) => each.product_id === product_id);
  if (products[0]?.source === "fallback") return "Shown instead.";
  const rules = one?.rule_keys ?? [];
  return rules.length === 0 ? "No rule had to choose it." : `${rules.join(", ")}: ${points(one?.score ?? 0)}.`;
}

const reasons: Record<NonNullable<ExplainedProduct["not_shown"]>, string> = {
  not_from: "It is not among what the block chooses from.",
  excluded: "A rule leaves it out",
  not_included: "No rule that applies shows it.",
  min_score: "It has too few points",
  sold_out: "It is sold out.",
  min_stock: "Too few pieces are in stock.",
  one_per: "Only one of each is shown, and another comes first",
  limit: "Others come first",
  not_in_shop: "The shop does not have it.",
  draft: "It is a draft in the shop.",
  archived: "It is archived in the shop.",
  unpublished: "It is not published in the online store.",
  deleted: "It was deleted in the shop.",
  not_searched: "It is beyond the 200,000 products that rules search.",
};

function whyNot(one: ExplainedProduct, ruled: Ruled): string {
  if (one.not_shown === null) return "";
  const said = reasons[one.not_shown];
  switch (one.not_shown) {
    case "excluded":
      return `${said}: ${one.rule_keys.join(", ")}.`;
    case "min_score":
      return `${said}: ${points(one.score)}.`;
    case "one_per":
      return one.instead === null ? `${said}.` : `${said}: ${titleOf(ruled, one.instead)}.`;
    case "limit":
      return `${said}: it would be number ${one.place ?? "?"}, with ${points(one.score)}.`;
    default:
      return said;
  }
}
