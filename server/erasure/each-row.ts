import { raw, type Statement, sql, type Transaction } from "../platform/database/sql.ts";

const atOnce = 2_000;

/**
 * Reads any number of rows without holding them all, through a cursor of the transaction. A transaction can run only
 * one at a time.
 */
export async function eachRow<Row>(tx: Transaction, query: Statement<Row>, see: (row: Row) => void): Promise<void> {
  await tx.all(sql`DECLARE rows_of_erasure NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    const rows = await tx.all<Row>(sql`FETCH ${raw(atOnce)} FROM rows_of_erasure`);
    for (const row of rows) see(row);
    if (rows.length < atOnce) break;
  }
  await tx.all(sql`CLOSE rows_of_erasure`);
}
