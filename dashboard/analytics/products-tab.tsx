import { Badge, Group, Select, Stack } from "@mantine/core";
import type { AnalyticsProducts } from "../../client/src/index.ts";
import { buckets, productSorts } from "../../contract/analytics-values.ts";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { type Bar, BarTable } from "./bar-table.tsx";
import { plusDays } from "./days.ts";
import { EmptyDays } from "./empty-days.tsx";
import { Figure } from "./figure.tsx";
import { withBefore } from "./figure-table.ts";
import { productsTable, productTotalsTable } from "./product-tables.ts";
import { productsOf } from "./questions.ts";
import { bucketLabels } from "./series.ts";
import { TableTiles } from "./stat-tile.tsx";
import { limits, oneOf, rowsAtMost } from "./url-state.ts";
import { type TabProps, useCompared } from "./use-compared.ts";

const colors = { added_from_quiz: "blue.6", shown_bought_later: "teal.6", bought_not_shown: "gray.5" } as const;
const bars: Bar[] = buckets.map((name) => ({
  column: `revenue_${name}`,
  label: bucketLabels[name],
  color: colors[name],
}));

const sortLabels: Readonly<Record<(typeof productSorts)[number], string>> = {
  revenue: "By revenue",
  units: "By units",
  orders: "By orders",
  times_shown: "By how often shown",
  title: "By name",
};

/** Products shown and sold, by the quiz's part in the sale. */
export function ProductsTab(props: TabProps) {
  const { quizId, search } = props;
  const sort = oneOf(productSorts, search.sort) ?? "revenue";
  const limit = search.limit ?? 50;
  const more = { sort, ...(search.bucket === undefined ? {} : { bucket: search.bucket }) };
  const { question, query, before, busy, file } = useCompared(props, "products", (common, period) =>
    // in the previous period the products on this page may rank lower
    productsOf(quizId, common, { ...more, limit: period === "before" ? rowsAtMost : limit }),
  );
  return (
    <QueryView query={query} skeleton={<BoxSkeleton height={520} />}>
      {(answer: AnalyticsProducts) => {
        const totals = productTotalsTable(answer);
        const totalsThen = before && productTotalsTable(before);
        const table = productsTable(answer);
        const then = before && productsTable(before);
        const isEmpty = answer.rows.length === 0 && !answer.freshness.pending;
        return (
          <Stack>
            <Figure
              name="product-totals"
              title="Sold"
              note="Revenue of the lines of orders. The overview's revenue is of whole orders, with shipping and tax."
              table={withBefore(totals, totalsThen)}
              call={question}
              file={[...file, "totals"]}
              busy={busy}
            >
              <TableTiles table={totals} before={totalsThen} />
            </Figure>
            <Figure
              name="products"
              title="Products"
              note={<Legend />}
              table={withBefore(table, then, answer.rows.length === answer.total_products)}
              call={question}
              file={file}
              busy={busy}
              controls={<Controls {...props} sort={sort} limit={limit} />}
            >
              {isEmpty ? (
                <EmptyDays
                  {...props}
                  today={plusDays(answer.freshness.closed_days_through, 1)}
                  what="products shown or sold"
                />
              ) : (
                <BarTable
                  label="Products"
                  table={table}
                  before={then}
                  name="title"
                  bars={bars}
                  show={["line_revenue", "units", "orders_approx", "times_shown", ...bars.map(({ column }) => column)]}
                  nameOf={(row, text) => (
                    <ProductName product={answer.rows.find(({ product_id }) => product_id === row.key)} text={text} />
                  )}
                />
              )}
            </Figure>
          </Stack>
        );
      }}
    </QueryView>
  );
}

const Legend = () => (
  <Group component="span" gap="2px 16px">
    {bars.map(({ column, label, color }) => (
      <span key={column} className="qs-legend">
        <i style={{ background: `var(--mantine-color-${color.replace(".", "-")})` }} />
        {label}
      </span>
    ))}
  </Group>
);

function ProductName({ product, text }: { product: AnalyticsProducts["rows"][number] | undefined; text: string }) {
  return (
    <>
      {text}
      {product && !product.in_store ? (
        <Badge size="xs" variant="light" color="gray">
          Not in the catalog
        </Badge>
      ) : null}
    </>
  );
}

function Controls({ search, setSearch, sort, limit }: TabProps & { sort: string; limit: number }) {
  return (
    <Group gap="xs">
      <Select
        size="xs"
        aria-label="Which sales"
        placeholder="All sales"
        clearable
        clearButtonProps={{ "aria-label": "All sales" }}
        data={buckets.map((value) => ({ value, label: bucketLabels[value] }))}
        value={search.bucket ?? null}
        onChange={(value) => {
          const { bucket: _, ...rest } = search;
          const bucket = oneOf(buckets, value);
          setSearch(bucket ? { ...rest, bucket } : rest);
        }}
      />
      <Select
        size="xs"
        aria-label="Order"
        allowDeselect={false}
        data={productSorts.map((value) => ({ value, label: sortLabels[value] }))}
        value={sort}
        onChange={(value) => value !== null && setSearch({ ...search, sort: value })}
      />
      <Select
        size="xs"
        w={110}
        aria-label="How many products"
        allowDeselect={false}
        data={limits.map((value) => ({ value: String(value), label: `First ${value}` }))}
        value={String(limit)}
        onChange={(value) => value !== null && setSearch({ ...search, limit: Number(value) })}
      />
    </Group>
  );
}
