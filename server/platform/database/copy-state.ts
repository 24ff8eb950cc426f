import type pg from "pg";
import type { Tally } from "./copy-tally.ts";

/**
 * The table in which a copy records, in the database that it fills, which tables are finished. It exists as long as the
 * copy is unfinished [operations.database-copy-again].
 */
const stateTable = "database_copy";

export const createStateSql = `
  CREATE TABLE ${stateTable} (name text PRIMARY KEY, rows bigint NOT NULL, bytes bigint NOT NULL, digest text NOT NULL)`;
export const dropStateSql = `DROP TABLE ${stateTable}`;

export async function isUnfinishedCopy(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT to_regclass('${stateTable}') IS NOT NULL AS found`);
  return rows[0]?.found === true;
}

export async function readFinished(client: pg.ClientBase): Promise<ReadonlyMap<string, Tally>> {
  type Row = Omit<Tally, "rows" | "bytes"> & { name: string; rows: string; bytes: string };
  const { rows } = await client.query<Row>(`SELECT name, rows, bytes, digest FROM ${stateTable}`);
  return new Map(
    rows.map((row) => [row.name, { rows: Number(row.rows), bytes: Number(row.bytes), digest: row.digest }]),
  );
}

/** Within the transaction that copies the table. */
export async function recordFinished(client: pg.ClientBase, name: string, tally: Tally): Promise<void> {
  const { rows, bytes, digest } = tally;
  await client.query(`INSERT INTO ${stateTable} (name, rows, bytes, digest) VALUES ($1, $2, $3, $4)`, [
    name,
    rows,
    bytes,
    digest,
  ]);
}

/** Whether a table of the catalog is the copy's own. */
export const isState = (name: string): boolean => name === stateTable;
