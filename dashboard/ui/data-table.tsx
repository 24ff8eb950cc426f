import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { IconDown, IconUp } from "./icons.tsx";
import { ListSkeleton } from "./skeletons.tsx";

/**
 * A table for screen readers too, sorted by its headings, and shown as a list of cards on a phone [dashboard.tables].
 */

export interface Column<Row> {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** names the row; by default the first column */
  primary?: boolean;
  sortable?: boolean;
  align?: "end";
  /** shown without its heading on a phone, such as a button */
  bare?: boolean;
}

export interface Sort {
  key: string;
  descending: boolean;
}

interface DataTableProps<Row> {
  /** the table's name for screen readers */
  label: string;
  columns: readonly Column<Row>[];
  /** undefined: loading */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
  /** loads the next page, if there is one */
  more?: { load: () => void; isLoading: boolean } | undefined;
  /** shown instead of a table without rows */
  empty?: ReactNode;
  /** false: stays a table on a phone, and scrolls */
  cards?: boolean;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, more, empty, cards = true } = props;
  if (rows === undefined) return <ListSkeleton />;
  if (rows.length === 0 && empty !== undefined) return empty;
  const primary = columns.find((column) => column.primary) ?? columns[0];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section className="qs-table-box" aria-label={label} tabIndex={0}>
        <table className="qs-table" data-cards={cards || undefined}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading key={column.key} column={column} {...props} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map((column) => (
                  <Cell key={column.key} column={column} row={row} isPrimary={column === primary} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={more.load} loading={more.isLoading}>
            Show more
          </Button>
        </Group>
      )}
    </>
  );
}

interface HeadingProps<Row> extends Pick<DataTableProps<Row>, "sort" | "onSort"> {
  column: Column<Row>;
}

function Heading<Row>({ column, sort, onSort }: HeadingProps<Row>) {
  const { key, header, align, sortable } = column;
  const isSorted = sort?.key === key;
  const direction = isSorted ? (sort.descending ? "descending" : "ascending") : undefined;
  if (!sortable || !onSort) {
    return (
      <th scope="col" data-align={align}>
        {header}
      </th>
    );
  }
  // figures are usually wanted from the largest down
  const next: Sort = { key, descending: isSorted ? !sort.descending : align === "end" };
  return (
    <th scope="col" data-align={align} aria-sort={direction ?? "none"}>
      <button type="button" className="qs-sort" onClick={() => onSort(next)}>
        {header}
        {direction === "ascending" && <IconUp />}
        {direction === "descending" && <IconDown />}
      </button>
    </th>
  );
}

interface CellProps<Row> {
  column: Column<Row>;
  row: Row;
  isPrimary: boolean;
}

function Cell<Row>({ column, row, isPrimary }: CellProps<Row>) {
  const { align, bare, header, cell } = column;
  if (isPrimary) return <th scope="row">{cell(row)}</th>;
  return (
    <td data-align={align} data-bare={bare || undefined} data-label={header}>
      {cell(row)}
    </td>
  );
}
