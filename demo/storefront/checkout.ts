import { amountText } from "../amounts.ts";
import { mostOfALine, type PricedCart, type PricedLine } from "./cart.ts";
import { choiceOf } from "./goods.ts";
import { dollars, pictureUrl, root } from "./layout.ts";
import { html, type Markup } from "./markup.ts";

/** The page with the cart and the order form. */

export interface Checkout {
  cart: PricedCart;
  /** as typed, if the form is shown again */
  email: string;
  /** a message about the email or the cart */
  problem: { at: "email" | "cart"; text: string } | null;
}

const row = (line: PricedLine, place: number): Markup => {
  const { product, quantity, session, cents } = line;
  const choice = choiceOf(line);
  return html`<li class="line">
<img src="${pictureUrl(`products/${product.handle}.svg`)}" alt="" width="96" height="96">
<div><a href="${root}/products/${product.handle}">${product.title}</a>${choice !== null && html`<span class="kind">${choice}</span>`}${
    session !== null && html`<span class="from">from a quiz</span>`
  }</div>
<form method="post" action="${root}/cart/change" class="amount">
<input type="hidden" name="line" value="${place}">
<label><span class="hidden">Quantity of ${product.title}</span><input type="number" name="quantity" value="${quantity}" min="0" max="${mostOfALine}" inputmode="numeric" required></label>
<button type="submit" class="plain">Change<span class="hidden"> the quantity of ${product.title}</span></button>
<button type="submit" class="plain" name="remove" value="1" formnovalidate>Remove<span class="hidden"> ${product.title}</span></button>
</form>
<span class="price">${dollars(amountText(cents))}</span>
</li>`;
};

const sums = ({ goodsCents, shippingCents, totalCents }: PricedCart): Markup => html`<dl class="sums">
<div><dt>Goods</dt><dd>${dollars(amountText(goodsCents))}</dd></div>
<div><dt>Shipping</dt><dd>${shippingCents === 0 ? "free" : dollars(amountText(shippingCents))}</dd></div>
<div class="total"><dt>Total</dt><dd>${dollars(amountText(totalCents))}</dd></div>
</dl>`;

const form = ({ email, problem }: Checkout): Markup => {
  const wrong = problem?.at === "email" ? problem.text : null;
  return html`<form class="order" method="post" action="${root}/checkout">
<h2>Check out</h2>
<p>Nothing is charged or sent. Any address does; with the one that you left in a quiz the order finds its person even without the quiz's mark in the cart.</p>
<label class="field" for="email">Email</label>
<input id="email" type="email" name="email" value="${email}" autocomplete="email" maxlength="254" required${
    wrong !== null && html` aria-invalid="true" aria-describedby="email-problem" autofocus`
  }>
${wrong !== null && html`<p class="problem" id="email-problem">${wrong}</p>`}
<button class="button" type="submit">Place the order</button>
</form>`;
};

export function cartBody(checkout: Checkout): Markup {
  const { cart, problem } = checkout;
  const said = problem?.at === "cart" ? html`<p class="problem" role="alert">${problem.text}</p>` : null;
  if (cart.lines.length === 0) {
    return html`<h1>Your cart</h1>${said}<p class="lead">There is nothing in it yet.</p>
<p><a class="button" href="${root}#routine">Find your routine</a> <a class="button quiet" href="${root}#all">All products</a></p>`;
  }
  return html`<h1>Your cart</h1>${said}
<div class="checkout">
<ul class="lines">${cart.lines.map(row)}</ul>
<div>${sums(cart)}${form(checkout)}</div>
</div>`;
}
