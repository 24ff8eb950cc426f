import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvOf, fileName } from "../../../dashboard/analytics/csv.ts";
import type { FigureTable } from "../../../dashboard/analytics/figure-table.ts";
import { readCsvCells } from "../../../testkit/csv.ts";
import { csvHead, csvRow } from "./csv.ts";

const signs = ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n", ";", '"', ",", "a", "1"];
const hostile = fc.array(fc.constantFrom(...signs), { maxLength: 12 }).map((parts) => parts.join(""));

describe("figures as CSV", () => {
  it("are written as the exports write them, whatever the texts hold [dashboard-figures.csv]", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, fc.double({ noNaN: true }), fc.boolean()), { maxLength: 8 }), (rows) => {
        const table: FigureTable = {
          columns: [
            { key: "value", label: "Value", kind: "text" },
            { key: "views", label: "Views", kind: "count" },
            { key: "removed", label: "Removed", kind: "flag" },
          ],
          rows: rows.map((cells, index) => ({ key: String(index), cells })),
        };
        const columns = table.columns.map(({ key }, index) => ({
          name: key,
          cell: (row: (typeof rows)[number]) => row[index] ?? null,
        }));
        expect(csvOf(table)).toBe(`\ufeff${csvHead(columns)}${rows.map((row) => csvRow(columns, row)).join("")}`);
      }),
    );
  });

  it("have money as an amount, to the last digit, beside a column with its currency [dashboard-figures.csv]", () => {
    const usd = (amount: string) => ({ amount, currency: "USD" });
    const table: FigureTable = {
      columns: [
        { key: "day", label: "Day", kind: "day" },
        { key: "revenue", label: "Revenue", kind: "money" },
        { key: "revenue_added_from_quiz", label: "Added", kind: "money" },
      ],
      rows: [
        { key: "a", cells: ["2026-01-01", usd("90071992547409.93"), usd("0.10")] },
        { key: "b", cells: ["2026-01-02", null, null] },
      ],
    };
    expect(readCsvCells(csvOf(table))).toEqual([
      ["day", "currency", "revenue", "revenue_added_from_quiz"],
      ["2026-01-01", "USD", "90071992547409.93", "0.10"],
      ["2026-01-02", "", "", ""],
    ]);
  });

  it("have a file's name that every system takes [dashboard-figures.csv]", () => {
    expect(fileName(["Finde deine Öl/Pflege?", "funnel", "2026-01-01", "2026-01-31"])).toBe(
      "finde-deine-ol-pflege_funnel_2026-01-01_2026-01-31.csv",
    );
    expect(fileName(["ערכה", "x"])).toBe("x.csv");
    expect(fileName(["a".repeat(300)]).length).toBeLessThan(130);
  });
});
