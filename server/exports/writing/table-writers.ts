import { PlainCsv } from "./plain-csv.ts";
import type { OpenTableWriter } from "./table.ts";

/** The writers of exact tables, by format. */
export const tableWriters: Record<"csv", OpenTableWriter> = {
  csv: (output) => new PlainCsv(output),
};
