import type { AboutTable, OpenTableWriter, TableHead, TableWriter, Value } from "../server/exports/writing/table.ts";

/** Files that the writers of tables make, in memory. */

export interface GivenTable extends TableHead {
  rows: readonly (readonly Value[])[];
}

export const about: AboutTable = { dataset: "responses", generatedAt: new Date("2026-03-04T05:06:08Z") };

const rowsAtOnce = 50;

export async function writeTables(writer: TableWriter, tables: readonly GivenTable[]): Promise<void> {
  for (const { rows, ...head } of tables) {
    await writer.begin(head);
    for (let from = 0; from < rows.length; from += rowsAtOnce) await writer.add(rows.slice(from, from + rowsAtOnce));
  }
  await writer.end();
}

export async function tableFile(open: OpenTableWriter, tables: readonly GivenTable[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  // the writer may use its bytes again
  const writer = open({ write: async (bytes) => void pieces.push(Buffer.from(bytes)) }, about);
  await writeTables(writer, tables);
  return Buffer.concat(pieces);
}
