/** @jsxImportSource #draw */
import type { Page, ProductsComponent } from "../../engine/document.ts";
import type { Price } from "../live-quiz.ts";
import { cartOf } from "./cart.ts";
import { canBeAdded, isAvailable, lineOf, type Offer, offersOf, variantIn, variantsOf } from "./offers.ts";
import { Picture } from "./picture.tsx";
import type { Stage } from "./stage.ts";
import type { CartLine } from "./types.ts";
import { sumOf, writePrice } from "./write-price.ts";

export function Products({ stage, block, id }: { stage: Stage; block: ProductsComponent; id: string }) {
  const offers = offersOf(stage, block);
  if (offers.length === 0) return null;
  const chosen = offers.flatMap((offer) => {
    const variant = variantIn(offer, stage.here.variants.get(cardOf(id, offer)));
    return canBeAdded(offer, variant) ? { line: lineOf(offer, variant), price: variant?.price ?? null } : [];
  });
  return (
    <div class="offers">
      <ul class="products">
        {offers.map((offer) => (
          <Card key={cardOf(id, offer)} stage={stage} offer={offer} id={cardOf(id, offer)} />
        ))}
      </ul>
      {chosen.length > 1 && <AddAll stage={stage} chosen={chosen} id={id} />}
    </div>
  );
}

const cardOf = (id: string, { shown }: Offer): string => `${id}-${shown.position}`;

interface CardProps {
  stage: Stage;
  offer: Offer;
  id: string;
}

function Card({ stage, offer, id }: CardProps) {
  const { texts, locale } = stage;
  const { product } = offer;
  const variant = variantIn(offer, stage.here.variants.get(id));
  const variants = variantsOf(offer);
  const price = variant?.price;
  const cart = cartOf(stage, id);
  const choose = (variant_id: string): void => {
    stage.here.variants.set(id, variant_id);
    stage.drawAgain();
  };
  const isNamed = variants.length === 1 && product.variants.length > 1;
  return (
    <li class="product">
      <Picture url={product.image_url} kind="square" keepsRoom />
      <div class="about">
        <h3>{product.title}</h3>
        {isNamed && variant?.title && <p class="hint">{variant.title}</p>}
        {price && <p class="price">{writePrice(price.amount, price.currency, locale)}</p>}
        {variants.length > 1 && (
          <>
            <label class="unseen" for={id}>
              {texts.variant}
            </label>
            <select id={id} value={variant?.variant_id} onChange={(event) => choose(event.currentTarget.value)}>
              {variants.map((choice) => (
                <option key={choice.variant_id} value={choice.variant_id} disabled={!isAvailable(choice)}>
                  {isAvailable(choice)
                    ? (choice.title ?? choice.variant_id)
                    : `${choice.title ?? choice.variant_id} – ${texts.sold_out}`}
                </option>
              ))}
            </select>
          </>
        )}
        {canBeAdded(offer, variant) ? (
          <button
            type="button"
            class="main"
            aria-disabled={cart.isBusy}
            onClick={() => cart.add([lineOf(offer, variant)])}
          >
            {cart.label(texts.add_to_cart)}
            <span class="unseen"> {product.title}</span>
          </button>
        ) : (
          variant && <p class="sold-out">{texts.sold_out}</p>
        )}
        {cart.failure !== null && <p class="complaint">{cart.failure}</p>}
        <ProductLink stage={stage} offer={offer} />
      </div>
    </li>
  );
}

function ProductLink({ stage, offer }: { stage: Stage; offer: Offer }) {
  const { url, title } = offer.product;
  if (url === null || !/^https?:/i.test(url)) return null;
  return (
    <a href={url} target="_blank" rel="noopener">
      {stage.texts.view_product}
      <span class="unseen">
        {" "}
        {title} ({stage.texts.new_tab})
      </span>
    </a>
  );
}

interface AddAllProps {
  stage: Stage;
  chosen: readonly { line: CartLine; price: Price | null }[];
  id: string;
}

/** Adds what the cart does not have yet, for the sum on the button; then leads to the cart [player.add-all]. */
function AddAll({ stage, chosen, id }: AddAllProps) {
  const { texts, view, options, locale } = stage;
  const cart = cartOf(stage, id);
  const missing = chosen.filter(({ line }) => !view.added.has(line.product_id));
  const sum = sumOf(missing.map(({ price }) => price));
  if (missing.length === 0 && !cart.isBusy) {
    return (
      <div class="all">
        {options.cartPage ? <a href={options.cartPage}>{texts.go_to_cart}</a> : <p class="hint">{texts.added}</p>}
      </div>
    );
  }
  return (
    <div class="all">
      <button
        type="button"
        class="main"
        aria-disabled={cart.isBusy}
        onClick={() => cart.add(missing.map(({ line }) => line))}
      >
        {cart.label(texts.add_all)}
        {sum && !cart.isBusy && ` · ${writePrice(sum.amount, sum.currency, locale)}`}
      </button>
      {cart.failure !== null && <p class="complaint">{cart.failure}</p>}
    </div>
  );
}

/** Shown if no product of the page's blocks fits [player.nothing-fits]. */
export function NothingFits({ stage }: { stage: Stage }) {
  return (
    <div class="nothing">
      <p>{stage.texts.no_products}</p>
      <button type="button" class="plain" onClick={stage.options.restart}>
        {stage.texts.start_over}
      </button>
    </div>
  );
}

/** Whether the page exists for products and none of them fits: then it offers to start over instead. */
export function fitsNothing(stage: Stage, page: Page): boolean {
  const { awaits } = stage.options.brought;
  const blocks = page.components.filter((component) => component.kind === "products");
  return (
    blocks.length > 0 &&
    blocks.every((block) => offersOf(stage, block).length === 0 && !awaits?.(stage, block.block_key))
  );
}
