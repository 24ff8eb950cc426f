import type { AnalyticsProducts, ProductRow } from "../../client/src/index.ts";
import { buckets } from "../../contract/analytics-values.ts";
import { type ColumnOf, type FigureTable, field, tableOf } from "./figure-table.ts";
import { bucketLabels } from "./series.ts";

/** Products shown and sold, as tables. */

const products: ColumnOf<ProductRow>[] = [
  field("product_id", "Product id", "text"),
  field("title", "Product", "text"),
  field("in_store", "In the catalog", "flag"),
  field("had_variants", "Had variants", "flag"),
  field("quiz_name", "Quiz", "text"),
  field("times_shown", "Shown to", "count"),
  field("units", "Units", "count"),
  field("orders_approx", "Orders", "count"),
  field("line_revenue", "Revenue", "money"),
  field("refunded", "Refunded", "money"),
  field("net_revenue", "Revenue less refunds", "money"),
  ...buckets.map(
    (name): ColumnOf<ProductRow> => ({
      key: `revenue_${name}`,
      label: bucketLabels[name],
      kind: "money",
      of: (row) => row.revenue_by_bucket[name],
    }),
  ),
  {
    key: "shown_on_page",
    label: "Shown on",
    kind: "text",
    of: ({ shown_on }) => shown_on.page_title ?? shown_on.page_key,
  },
];

export const productsTable = (answer: Pick<AnalyticsProducts, "rows">): FigureTable =>
  tableOf(products, answer.rows, ({ product_id }) => product_id);

export const productTotalsTable = (
  answer: Pick<
    AnalyticsProducts,
    "total_products" | "orders_matched_by_email" | "line_revenue" | "refunded" | "net_revenue" | "totals_by_bucket"
  >,
): FigureTable =>
  tableOf<typeof answer>(
    [
      field("total_products", "Products", "count"),
      field("line_revenue", "Revenue", "money"),
      field("refunded", "Refunded", "money"),
      field("net_revenue", "Revenue less refunds", "money"),
      ...buckets.map(
        (name): ColumnOf<typeof answer> => ({
          key: `revenue_${name}`,
          label: bucketLabels[name],
          kind: "money",
          of: ({ totals_by_bucket }) => totals_by_bucket[name],
        }),
      ),
      field("orders_matched_by_email", "Orders matched by email alone", "count"),
    ],
    [answer],
    () => "totals",
  );
