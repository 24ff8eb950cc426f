import type { ProductRow, ProductsAnswer } from "../../../contract/analytics-answers.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { type CatalogEntry, catalogEntries } from "../../orders/catalog.ts";
import type { StoreRunner } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import { quizNames } from "../../quizzes/public.ts";
import { withoutContacts } from "../../sessions/public.ts";
import type { Selection } from "../selection.ts";
import { definitionOf } from "./definition.ts";
import { moneyAndRefunds, moneyByBucket } from "./figures.ts";
import {
  type FoundProduct,
  type Part,
  readLineTotals,
  readMatchedByEmail,
  readOldTitles,
  readProducts,
} from "./products-read.ts";
import { scopeOf } from "./scope.ts";
import { compareNames, compareTexts } from "./texts.ts";

export type ProductsPage = Part["page"];

/**
 * What a quiz, or all quizzes of the store, showed and sold: one row for each product shown in the range (once per
 * session, on the day it was first shown) or bought in it (by the order's day, within the window) [products.rows,
 * products.sold]. Lines without a product, such as tips, count only in the totals [products.lines-without-product].
 * Numbers are sorted in descending order, titles in ascending order, equal rows by product id [products.order].
 */
export async function products(
  query: CopyQuery,
  db: StoreRunner,
  selection: Selection,
  page: ProductsPage,
): Promise<FiguresOf<ProductsAnswer>> {
  const { quizId, store } = selection;
  const part: Part = { selection, scope: await scopeOf(query, selection), page };
  const [found, totals, byEmail] = await Promise.all([
    readProducts(query, part),
    readLineTotals(query, part),
    readMatchedByEmail(query, part),
  ]);
  const listed = (await titled(query, db, found, selection.contacts ?? false)).sort(
    page.sort === "title" ? byTitle : () => 0,
  );
  const rows = listed.slice(0, page.limit);
  const quizzes = [...new Set(rows.map(({ product }) => product.quiz_id))];
  const names: Names = {
    quizzes: await quizNames(db, quizzes),
    pages: await pageTitles(
      db,
      rows.map(({ product }) => product),
    ),
  };
  return {
    quiz_id: quizId === null ? null : formatId("quiz", quizId),
    bucket: page.bucket,
    sort: page.sort,
    total_products: found[0]?.all_products ?? 0,
    orders_matched_by_email: byEmail,
    ...lineMoney(totals ?? {}, store.currency),
    totals_by_bucket: moneyByBucket(totals, store.currency),
    rows: rows.map((row) => productRow(row, names, store.currency)),
  };
}

interface TitledProduct {
  product: FoundProduct;
  title: string;
  entry: CatalogEntry | undefined;
}

const byTitle = (a: TitledProduct, b: TitledProduct): number =>
  compareNames(a.title, b.title) || compareTexts(a.product.product_id, b.product.product_id);

/** A product's title is the catalog's, or else its newest line's, or else its id [products.title]. */
async function titled(
  query: CopyQuery,
  db: StoreRunner,
  found: readonly FoundProduct[],
  contacts: boolean,
): Promise<TitledProduct[]> {
  const ids = found.map((product) => product.product_id);
  const catalog = await catalogEntries(db, ids);
  const nameless = found.filter((product) => product.line_title === null && !catalog.has(product.product_id));
  const old = await readOldTitles(
    query,
    nameless.map((product) => product.product_id),
  );
  return found.map((product) => {
    const { product_id: id, line_title: line } = product;
    const entry = catalog.get(id);
    const ordered = line ?? old.get(id);
    // an order's line may name whom it is for [api.masked-contacts]
    const bought = ordered === undefined || contacts ? ordered : withoutContacts(ordered);
    return { product, entry, title: entry?.title ?? bought ?? id };
  });
}

interface Names {
  /** by UUID */
  quizzes: ReadonlyMap<string, string>;
  /** by the quiz's UUID, then by page key */
  pages: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Titles of the pages of the quizzes that showed a product, including removed pages. */
async function pageTitles(db: StoreRunner, rows: readonly FoundProduct[]): Promise<Names["pages"]> {
  const showing = new Set(rows.filter((row) => row.page_key !== null).map((row) => row.quiz_id));
  const titles = new Map<string, ReadonlyMap<string, string>>();
  for (const quizId of showing) {
    const { pages } = await definitionOf(db, quizId);
    titles.set(quizId, new Map(pages.map(({ page_key, title }) => [page_key, title])));
  }
  return titles;
}

function lineMoney(sums: { revenue?: string | null; refunded?: string | null }, currency: string) {
  const { revenue: line_revenue, ...rest } = moneyAndRefunds(sums, currency);
  return { line_revenue, ...rest };
}

function productRow({ product, title, entry }: TitledProduct, names: Names, currency: string): ProductRow {
  const { page_key, block_key, quiz_id: quizId } = product;
  return {
    product_id: product.product_id,
    title,
    quiz_name: names.quizzes.get(quizId) ?? "",
    had_variants: entry?.had_variants ?? false,
    in_store: entry?.in_store ?? false,
    times_shown: product.times_shown,
    units: product.units,
    orders_approx: product.orders,
    ...lineMoney(product, currency),
    revenue_by_bucket: moneyByBucket(product, currency),
    shown_on: {
      block_key,
      page_key,
      page_title: page_key === null ? null : (names.pages.get(quizId)?.get(page_key) ?? page_key),
    },
  };
}
