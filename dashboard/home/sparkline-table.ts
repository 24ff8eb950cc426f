import type { AnalyticsSummary } from "../../client/src/index.ts";
import { plusDays } from "../analytics/days.ts";
import { type FigureTable, tableOf } from "../analytics/figure-table.ts";
import { summaryKind, summaryLabels, summaryNames } from "../analytics/tables.ts";

/** The values of the summary's sparklines, one row per day. */
export const sparklineTable = (answer: AnalyticsSummary): FigureTable =>
  tableOf<number>(
    [
      { key: "day", label: "Day", kind: "day", of: (index) => plusDays(answer.range.start, index) },
      ...summaryNames.map((name) => ({
        key: name,
        label: summaryLabels[name],
        kind: summaryKind(name),
        of: (index: number) => answer[name].sparkline[index] ?? null,
      })),
    ],
    answer.views.sparkline.map((_, index) => index),
    (index) => plusDays(answer.range.start, index),
  );
