import { readFileSync } from "node:fs";
import { join } from "node:path";
import { demoShop } from "../catalog.ts";
import { html, Markup } from "./markup.ts";

/** The frame of every page of the demo's storefront [demo.accessible]. */

const asset = (file: string): Markup => new Markup(readFileSync(join(import.meta.dirname, "assets", file), "utf8"));
const style = asset("shop.css");
const script = asset("shop.mjs");

/** The prefix of every address of the storefront. */
export const root = "/demo";

export interface DemoQuizzes {
  publishableKey: string;
  /** ids of the demo's quizzes, in the order of `demoQuizzes` */
  routine: string;
  gift: string;
  consultation: string;
}

export interface Page {
  title: string;
  /** generated for this answer alone, and allowed by its Content-Security-Policy */
  nonce: string;
  /** number of items in the cart */
  count: number;
  quizzes: DemoQuizzes;
  body: Markup;
}

/** The storefront's own `pictures/`, whatever host the documents name. */
export const pictureUrl = (path: string): string => `${root}/pictures/${path}`;

export const dollars = (amount: string): string => `$${amount}`;

const mark = html`<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="M16 30C3 22 3 10 16 2c13 8 13 20 0 28Zm-1-9.5V24h2v-3.5l5-4-1.2-1.6L17 18v-4l3.6-2.9-1.2-1.6L17 11.4V8h-2v3.4l-2.4-1.9-1.2 1.600L15 14v4l-3.8-3.1-1.2 1.600Z"/></svg>`;

const bagIcon = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"><path d="M5 8h14l1 12H4zM9 10V7a3 3 0 0 1 6 0v3"/></svg>`;

export function pageOf({ title, nonce, count, quizzes, body }: Page): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title} · ${demoShop.name}</title>
<link rel="icon" href="${root}/pictures/icon.svg" type="image/svg+xml">
<style nonce="${nonce}">${style}</style>
<script nonce="${nonce}">window.Shopify = { routes: { root: "${root}/" } };</script>
<script nonce="${nonce}" async src="/embed.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<aside class="notice" aria-label="About this shop">This is the demo shop of Quiz Store. Nothing is sold or sent, and what you type stays on this server.</aside>
<header class="top">
<a class="brand" href="${root}">${mark}<span>${demoShop.name}</span></a>
<nav aria-label="Shop">
<a href="${root}#routine">Routine</a>
<button type="button" data-quizstore-open="${quizzes.gift}">Gifts</button>
<button type="button" data-quizstore-open="${quizzes.consultation}">Consultation</button>
</nav>
<a class="bag" href="${root}/cart">${bagIcon}<span class="hidden">Cart, </span><span data-count>${count}</span><span class="hidden"> items</span></a>
</header>
<p class="said" role="status" data-said></p>
<main id="content" tabindex="-1">${body}
<quiz-store quiz="${quizzes.gift}" store="${quizzes.publishableKey}" mode="popup" trigger="click"></quiz-store>
<quiz-store quiz="${quizzes.consultation}" store="${quizzes.publishableKey}" mode="drawer" trigger="click"></quiz-store>
</main>
<footer class="end">
<p>${demoShop.name} does not exist. Its pictures are drawn by code, its shoppers of the past month are simulated, and every quiz on these pages runs as it would in your shop.</p>
<p><a href="/openapi.json">OpenAPI document</a> <a href="/errors">Errors of the API</a></p>
</footer>
<script nonce="${nonce}" type="module">${script}</script>
</body>
</html>
`;
  return text;
}
