import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { clearedOpenings, columnLines } from "./places.ts";

/** The table of places that may hold a contact, against the migrated database [erasure.places]. */

let t: TestApp;
let columns: { table_name: string; column_name: string; data_type: string }[];
beforeAll(async () => {
  t = await openTestApp();
  const client = new pg.Client(t.connection);
  await client.connect();
  ({ rows: columns } = await client.query(`
    SELECT c.table_name, c.column_name, coalesce(e.data_type, c.data_type) AS data_type
    FROM information_schema.columns c
    JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
    LEFT JOIN information_schema.element_types e ON e.object_schema = c.table_schema AND e.object_name = c.table_name
      AND e.object_type = 'TABLE' AND e.collection_type_identifier = c.dtd_identifier
    WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
    ORDER BY c.table_name, c.column_name`));
  await client.end();
});
afterAll(() => t.close());

/** Types in whose values no contact can be written. */
const cannotHold = new Set([
  ...["uuid", "boolean", "smallint", "integer", "bigint", "numeric", "double precision"],
  ...["timestamp with time zone", "date"],
]);
const listed = () =>
  Object.entries(columnLines)
    .flatMap(([table, lines]) => Object.keys(lines).map((column) => `${table}.${column}`))
    .sort();

describe("the table of places", () => {
  it("has a line for each column that can hold text, and for no other [erasure.places]", () => {
    const mayHold = columns.filter(({ data_type }) => !cannotHold.has(data_type));
    expect(mayHold.length).toBeGreaterThan(120);
    expect(listed()).toEqual(mayHold.map(({ table_name, column_name }) => `${table_name}.${column_name}`).sort());
  });

  it("looks into JSON as JSON, and leaves bytes out with a reason or opens them [erasure.places]", () => {
    for (const { table_name, column_name, data_type } of columns) {
      const look = columnLines[table_name]?.[column_name]?.verify;
      if (data_type === "jsonb") expect([column_name, look]).toEqual([column_name, "json"]);
      if (data_type === "bytea")
        expect([column_name, look === "text" || look === "json"]).toEqual([column_name, false]);
    }
  });

  it("names in whole what the intake stores of how a session was opened [erasure.places]", () => {
    const attributes = readFileSync(join(import.meta.dirname, "../sessions/attributes.ts"), "utf8");
    const texts = [...attributes.matchAll(/^ {4}(\w+): (?:stored\(|session\.channel)/gm)].map(([, name]) => name);
    expect(texts.length).toBeGreaterThan(8);
    expect(clearedOpenings).toEqual(expect.arrayContaining(texts));
  });
});
