import type pg from "pg";

/**
 * What each connection sets for itself [database.session]: a server, database or role may have other defaults, by which
 * the driver would misread times and numbers. Sent as statements, since a pooler refuses startup parameters that it does
 * not know.
 */
const settings = [
  // the driver reads and writes nothing else
  ["client_encoding", "'UTF8'"],
  ["DateStyle", "ISO, MDY"],
  ["IntervalStyle", "postgres"],
  ["bytea_output", "hex"],
  // fewer digits would change numbers
  ["extra_float_digits", "1"],
  ["TimeZone", "'UTC'"],
  // these change what a statement means
  ["standard_conforming_strings", "on"],
  ["transform_null_equals", "off"],
  ["array_nulls", "on"],
  ["default_transaction_isolation", "'read committed'"],
] as const;

/** @param statementTimeoutMs 0: none, whatever the role has by default */
export const sessionSql = (statementTimeoutMs: number): string =>
  [...settings, ["statement_timeout", String(statementTimeoutMs)]]
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join("; ");

/**
 * Prepares a new connection. Behind a pooler whose pool is in use the first statement waits for the pooler: rejects
 * after `withinMs`.
 */
export async function prepareSession(
  client: pg.ClientBase,
  { statementTimeoutMs, withinMs }: { statementTimeoutMs: number; withinMs: number },
): Promise<void> {
  const query = { text: sessionSql(statementTimeoutMs), query_timeout: withinMs };
  await client.query(query);
}
