import { openParquet } from "./parquet.ts";
import { PlainCsv } from "./plain-csv.ts";
import type { OpenTableWriter } from "./table.ts";
import { openXlsx } from "./xlsx.ts";

/** The writers of exact tables, by format. */
export const tableWriters: Record<"csv" | "xlsx" | "parquet", OpenTableWriter> = {
  csv: (output) => new PlainCsv(output),
  xlsx: openXlsx(),
  parquet: openParquet,
};
