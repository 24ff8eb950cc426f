import { demoCatalog, type ShopifyProduct } from "../catalog.ts";
import { isSoldOut } from "./goods.ts";
import { type DemoQuizzes, dollars, pictureUrl, root } from "./layout.ts";
import { html, type Markup } from "./markup.ts";

/** The first page: three quizzes in their three modes, and all products. */

export interface Home {
  baseUrl: string;
  quizzes: DemoQuizzes;
}

const lowest = ({ variants }: ShopifyProduct): string =>
  variants.map(({ price }) => price).toSorted((a, b) => Number(a) - Number(b))[0] ?? "0.00";

const card = (product: ShopifyProduct): Markup => {
  const gone = product.variants.every(isSoldOut);
  const prices = new Set(product.variants.map(({ price }) => price));
  return html`<li class="card"><a href="${root}/products/${product.handle}">
<img src="${pictureUrl(`products/${product.handle}.svg`)}" alt="" width="400" height="400" loading="lazy" decoding="async">
<span class="kind">${product.product_type}</span>
<span class="name">${product.title}</span>
<span class="price">${prices.size > 1 && "from "}${dollars(lowest(product))}${gone && html` <span class="gone">Sold out</span>`}</span>
</a></li>`;
};

const hero = ({ gift, consultation }: DemoQuizzes): Markup => html`<section class="hero">
<div>
<p class="kind">Slow skincare from Brooklyn</p>
<h1>Fewer bottles. Better mornings.</h1>
<p class="lead">Tell us how your skin behaves, whom you are buying for, or what keeps you up at night. Each takes about two minutes.</p>
<p class="ways">
<a class="button" href="#routine">Find your routine</a>
<button class="button quiet" type="button" data-quizstore-open="${gift}">Find a gift</button>
<button class="button quiet" type="button" data-quizstore-open="${consultation}">Book a consultation</button>
</p>
</div>
<img src="${pictureUrl("quiz/cover-routine.svg")}" alt="" width="960" height="480">
</section>`;

const pasted = ({ baseUrl, quizzes }: Home): Markup => {
  const { publishableKey, routine } = quizzes;
  const snippet = `<script async src="${baseUrl}/embed.js"></script>\n<quiz-store quiz="${routine}" store="${publishableKey}"></quiz-store>`;
  const hosted = (quiz: string) => `/q/${publishableKey}/${quiz}`;
  return html`<section class="behind" aria-labelledby="behind">
<h2 id="behind">Behind the counter</h2>
<p>All that this page needs for the quiz above is what you would paste into yours:</p>
<pre tabindex="0"><code>${snippet}</code></pre>
<ul>
<li><strong>Inline</strong>: the routine stands in the page. <a href="${hosted(routine)}">The same quiz as a page of its own</a>.</li>
<li><strong>Popup</strong>: the gift finder opens over the page, from any element that names it. <a href="${hosted(quizzes.gift)}">As a page</a>.</li>
<li><strong>Drawer</strong>: the consultation slides in at the side. <a href="${hosted(quizzes.consultation)}">As a page</a>.</li>
</ul>
<p>Leave a made-up email in a quiz, add what it suggests to the cart and buy it. The page after that shows the person, the order and the events that came of it.</p>
</section>`;
};

export const homeBody = (home: Home): Markup => html`${hero(home.quizzes)}
<section class="routine" id="routine" aria-labelledby="routine-title">
<h2 id="routine-title">Your routine, in two minutes</h2>
<noscript><p>The quizzes need JavaScript. Everything else in the shop works without it.</p></noscript>
<quiz-store quiz="${home.quizzes.routine}" store="${home.quizzes.publishableKey}" mode="inline"></quiz-store>
</section>
<section aria-labelledby="all">
<h2 id="all">Everything we make</h2>
<ul class="grid">${demoCatalog.map(card)}</ul>
</section>
${pasted(home)}`;

export const homeTitle = "The demo shop";
