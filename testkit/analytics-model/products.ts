import { echo, type Linked, type Question, type Scope, scopeOf, type World } from "./asked.ts";
import { daysBetween } from "./days.ts";
import { productId } from "./history.ts";
import { titleOf } from "./labels.ts";
import { exact, money, total } from "./numbers.ts";
import { type Bucket, buckets, type ToldLine } from "./orders.ts";
import { quizId } from "./overview.ts";
import type { WebhookSession } from "./sessions.ts";

/** Products: shown and sold in the range, each counted on its own day [products.rows, products.sold]. */

interface Sold {
  order: Linked;
  line: ToldLine;
}

const isMoney = ({ order }: Sold): boolean => order.inCurrency;
const amountOf = (sold: readonly Sold[]): bigint => total(sold.filter(isMoney).map(({ line }) => line.amount));

function refundsOf(sold: readonly Sold[], currency: string) {
  const refunded = money(total(sold.filter(isMoney).map(({ line }) => line.refunded)), currency);
  const left = exact(money(amountOf(sold), currency).amount) - exact(refunded.amount);
  return { refunded, net_revenue: money(left, currency) };
}

const amounts = (sold: readonly Sold[], currency: string) =>
  Object.fromEntries(
    buckets.map((bucket) => [bucket, money(amountOf(sold.filter(({ line }) => line.bucket === bucket)), currency)]),
  );

/** When the session was first shown a product; the session counts at that time. */
const firstShown = (session: WebhookSession, product: string): number | null => {
  return session.shown.find((shown) => shown.product === product)?.at ?? null;
};

/** All rows, without `limit`, unsorted. */
export function products(world: World, asked: Question, bucket: Bucket | null) {
  const scope = scopeOf(world, asked);
  const { currency } = world.history;
  const orders = scope.orders.filter((order) => order.insideWindow && scope.inRange(order.createdAt));
  const all = orders.flatMap((order) => order.lines.map((line): Sold => ({ order, line })));
  const covered = all.filter(({ line }) => bucket === null || line.bucket === bucket);
  // a line without a product, such as a tip, has no row, but counts in the totals
  const sold = covered.filter(({ line }) => line.product !== null);
  const matched = bucket === null ? orders : orders.filter((order) => covered.some((one) => one.order === order));
  const shown = (product: string) => scope.sessions.filter((session) => scope.inRange(firstShown(session, product)));
  const known = new Set([
    ...sold.flatMap(({ line }) => line.product ?? []),
    ...scope.sessions.flatMap((session) => session.shown.map((one) => one.product)),
  ]);
  const rows = [...known].flatMap((product) => {
    const own = sold.filter(({ line }) => line.product === product);
    const showings = shown(product);
    if (own.length === 0 && showings.length === 0) return [];
    return [
      {
        product_id: product,
        ...named(world, product, own),
        times_shown: showings.length,
        units: own.reduce((sum, { line }) => sum + line.units, 0),
        orders_approx: new Set(own.map(({ order }) => order.id)).size,
        line_revenue: money(amountOf(own), currency),
        ...refundsOf(own, currency),
        revenue_by_bucket: amounts(own, currency),
        places: placesOf(scope, product, own),
      },
    ];
  });
  return {
    quiz_id: quizId(world, asked),
    ...echo(scope, daysBetween(asked.from, asked.to).length),
    bucket,
    total_products: rows.length,
    orders_matched_by_email: matched.filter((order) => order.tier === "email").length,
    line_revenue: money(amountOf(covered), currency),
    ...refundsOf(covered, currency),
    totals_by_bucket: amounts(covered, currency),
    rows,
  };
}

export type ProductRow = ReturnType<typeof products>["rows"][number];

function named({ history }: World, product: string, sold: readonly Sold[]) {
  const inCatalog = history.catalog.find((entry) => productId(entry.product) === product);
  return {
    /**
     * any of these is accepted: lines of one product may have different titles, and a product neither sold nor in the
     * catalog has none
     */
    titles: inCatalog ? [inCatalog.title] : [...new Set(sold.map(({ line }) => line.title))],
    had_variants: inCatalog?.variants.some((count) => count > 1) ?? false,
    in_store: inCatalog !== undefined && !inCatalog.deleted,
  };
}

/**
 * The pages and blocks that may be named: where most sessions were shown the product, including ties. If it was never
 * shown: the quizzes whose orders sold it.
 */
function placesOf({ world, sessions, inRange }: Scope, product: string, sold: readonly Sold[]) {
  const quizzes = world.history.quizzes;
  const places = new Map<string, { quiz: number; page: string; block: string; sessions: Set<WebhookSession> }>();
  for (const session of sessions) {
    const { quiz } = session.given;
    for (const block of new Set(session.shown.map((shown) => shown.block))) {
      const first = session.shown.find((shown) => shown.product === product && shown.block === block);
      if (!first || !inRange(first.at)) continue;
      const key = JSON.stringify([quiz, block]);
      const place = places.get(key) ?? { quiz, page: first.page, block, sessions: new Set() };
      place.sessions.add(session);
      places.set(key, place);
    }
  }
  const most = Math.max(0, ...Array.from(places.values(), (place) => place.sessions.size));
  if (most === 0) {
    const names = sold.map(({ order }) => quizzes[order.session.given.quiz]?.name ?? "");
    const nowhere = { block_key: null, page_key: null, page_title: null };
    return [...new Set(names)].map((quiz_name) => ({ quiz_name, shown_on: nowhere }));
  }
  return [...places.values()]
    .filter((place) => place.sessions.size === most)
    .map(({ quiz, page, block }) => {
      const of = quizzes[quiz];
      const page_title = of ? titleOf(of, page) : null;
      return { quiz_name: of?.name ?? "", shown_on: { block_key: block, page_key: page, page_title } };
    });
}

/** The sort key of a row; numbers descending, title ascending. */
export function sortKey(row: Record<string, unknown>, sort: string): number | string {
  if (sort === "title") return String(row["title"]).toLowerCase();
  if (sort === "revenue") return Number(exact((row["line_revenue"] as { amount: string }).amount));
  return Number(row[sort === "orders" ? "orders_approx" : sort]);
}
