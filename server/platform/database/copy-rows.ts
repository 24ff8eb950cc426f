import type pg from "pg";
import { CopyIn } from "./copy-in.ts";
import { RowTally, rowsOf, type Tally } from "./copy-tally.ts";

/**
 * Rows after which a COPY ends and another begins: until its end the server remembers each row whose references it has
 * to check.
 */
const rowsOfStatement = 250_000;

/** Copies the rows of `query` into `into`, a table with its columns, within the target's transaction. */
export async function copyRows(from: pg.Client, to: pg.Client, query: string, into: string): Promise<Tally> {
  const tally = new RowTally();
  let copy: CopyIn | null = null;
  let rows = 0;
  try {
    for await (const piece of rowsOf(from, query)) {
      try {
        copy ??= await CopyIn.begin(to, `COPY ${into} FROM STDIN`);
        rows += tally.add(piece);
        await copy.write(piece);
        if (rows < rowsOfStatement) continue;
        await copy.end();
      } catch (error) {
        // else everything that the source has left would be read first
        from.connection.stream.destroy();
        throw error;
      }
      copy = null;
      rows = 0;
    }
    await copy?.end();
  } catch (error) {
    await copy?.fail("the source failed");
    throw error;
  }
  return tally.total;
}
