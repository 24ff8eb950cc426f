import { describe, expect, it } from "vitest";
import { csvHead, csvRow } from "../../server/exports/writing/csv.ts";
import { readCsvCells } from "../../testkit/csv.ts";
import { hostileStrings } from "../../testkit/hostile-strings.ts";
import { csvOf, fileName } from "./csv.ts";
import type { FigureTable } from "./figure-table.ts";

const textsOf = (texts: readonly string[]): FigureTable => ({
  columns: [{ key: "title", label: "Page", kind: "text" }],
  rows: texts.map((text) => ({ key: text, cells: [text] })),
});

describe("figures as CSV", () => {
  it("have their texts as the exports write them, whatever stands in them [dashboard-figures.csv, exports.safe-cells]", () => {
    const columns = [{ name: "title", cell: (text: string) => text }];
    const exported = [csvHead(columns), ...hostileStrings.map((text) => csvRow(columns, text))];
    expect(csvOf(textsOf(hostileStrings))).toBe(`\ufeff${exported.join("")}`);
  });

  it("have amounts to the last digit beside a column with their currency [dashboard-figures.csv, exports.csv]", () => {
    const table: FigureTable = {
      columns: [
        { key: "title", label: "Product", kind: "text" },
        { key: "revenue", label: "Revenue", kind: "money" },
        { key: "refunded", label: "Refunded", kind: "money" },
        { key: "sold_out", label: "Sold out", kind: "flag" },
      ],
      rows: [
        {
          key: "1",
          cells: [
            "Oil",
            { amount: "12345678901234567.89", currency: "EUR" },
            { amount: "-5.00", currency: "EUR" },
            true,
          ],
        },
        { key: "2", cells: ["=1+1", null, null, false] },
      ],
    };
    expect(readCsvCells(csvOf(table))).toEqual([
      ["title", "currency", "revenue", "refunded", "sold_out"],
      ["Oil", "EUR", "12345678901234567.89", "-5.00", "true"],
      ["'=1+1", "", "", "", "false"],
    ]);
  });

  it("are files that are told from others, however long or in which letters a name is [dashboard-figures.csv]", () => {
    const days = ["funnel", "2026-03-01", "2026-03-07", "pages"];
    const end = "funnel_2026-03-01_2026-03-07_pages.csv";
    expect(fileName(["Crème & Co.", ...days])).toBe(`creme-co_${end}`);
    expect(fileName(["a".repeat(200), ...days])).toBe(`${"a".repeat(40)}_${end}`);
    expect(fileName(["متجر العناية", ...days])).toBe(end);
  });
});
