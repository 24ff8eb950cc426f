import type { ShopifyProduct } from "../catalog.ts";
import { mostOfALine } from "./cart.ts";
import { isSoldOut } from "./goods.ts";
import { dollars, pictureUrl, root } from "./layout.ts";
import { html, type Markup } from "./markup.ts";

/** A product's page. Its form works without scripts too. */

const words: Readonly<Record<string, string>> = {
  Cleanser: "Takes the day off and leaves the rest alone. Massage in, breathe out, rinse.",
  Toner: "A breath of something green between washing and everything else.",
  Serum: "Three drops, pressed in while the skin is still damp.",
  Oil: "The last step at night, when the heating is on and the air is dry.",
  Moisturizer: "Sits where it should and is gone when you look for it.",
  "Eye care": "For those who went to bed late and have to be somewhere early.",
  Mask: "Ten minutes on a Sunday, or a whole night if you fall asleep.",
  "Sun care": "Mineral, light, and no excuse to leave it out.",
  Lips: "Small enough for every pocket that you own.",
  Body: "For arms, legs, and whatever else the winter got to.",
  Home: "Forty hours of a damp forest floor.",
  Set: "A week of the routine in bottles that airports like.",
  "Gift card": "By email within a minute. It never expires.",
  Accessory: "Keeps the fringe out of the serum.",
};

function choices({ variants }: ShopifyProduct): Markup {
  const only = variants.length === 1 ? variants[0] : undefined;
  if (only) return html`<input type="hidden" name="id" value="${only.id}">`;
  const first = variants.find((variant) => !isSoldOut(variant));
  return html`<fieldset><legend>Choose one</legend>${variants.map(
    (variant) =>
      html`<label class="choice"><input type="radio" name="id" value="${variant.id}" required${
        variant === first && html` checked`
      }${isSoldOut(variant) && html` disabled`}><span>${variant.title} <span class="price">${dollars(variant.price)}</span>${
        isSoldOut(variant) && html` <span class="gone">Sold out</span>`
      }</span></label>`,
  )}</fieldset>`;
}

export function productBody(product: ShopifyProduct): Markup {
  const gone = product.variants.every(isSoldOut);
  const one = product.variants.length === 1 ? product.variants[0] : undefined;
  const order = html`<form class="order" method="post" action="${root}/cart/add" data-add>
${choices(product)}
<label class="field">Quantity <input type="number" name="quantity" value="1" min="1" max="${mostOfALine}" inputmode="numeric" required></label>
<button class="button" type="submit">Add to cart</button>
</form>`;
  return html`<article class="product">
<img src="${pictureUrl(`products/${product.handle}.svg`)}" alt="${product.title}" width="400" height="400">
<div>
<p class="kind">${product.product_type}</p>
<h1>${product.title}</h1>
${one ? html`<p class="price">${dollars(one.price)}</p>` : null}
<p class="lead">${words[product.product_type] ?? ""}</p>
<p class="good">Good for: ${product.tags}</p>
${gone ? html`<p class="gone">Sold out. It is the demo's example of a product that nobody can buy.</p>` : order}
<p><a href="${root}#all">All products</a></p>
</div>
</article>`;
}
