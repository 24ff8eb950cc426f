import { join } from "node:path";
import { expect, it } from "vitest";
import { loadMigrationRules } from "../../testkit/migration-rules.ts";
import { loadStatementRules } from "../../testkit/statement-rules.ts";
import { readMigrations } from "../platform/database/migrate.ts";
import { changesSince, documentsOf, everything, linesOf, ordersOf, peopleOf, sessionsOf } from "./source.ts";

const storeId = "0198f000-0000-7000-8000-000000000001";

it("names one store in every statement, as all statements do [copy.own-store]", async () => {
  const { tablesOf } = await loadMigrationRules();
  const migrations = await readMigrations(join(import.meta.dirname, "../../migrations"));
  const tables = { ...tablesOf(migrations.map(({ sql }) => sql)), onEveryNode: new Set(["stores"]) };
  const findViolations = await loadStatementRules();
  const [id] = [storeId.replace("8", "7")];
  const ids = { session: [id], profile: [id], order: [] };
  const copied = [
    ...[null, 7].flatMap((since) => [peopleOf, sessionsOf, ordersOf, linesOf].map((rows) => rows({ storeId, since }))),
    ...[peopleOf, sessionsOf, ordersOf, linesOf].map((rows) => rows({ storeId, since: 7, ids })),
    { query: changesSince(storeId, 7) },
    { query: everything(storeId) },
    { query: documentsOf(storeId, [{ quiz_id: storeId.replace("8", "9"), version: 1 }]) },
  ];
  for (const { query } of copied) {
    // COPY takes no parameters: the store's literal stands for one
    expect(findViolations(`COPY (${query.replaceAll(`'${storeId}'::uuid`, "$1")}) TO STDOUT`, tables)).toEqual([]);
  }
});

it("writes nothing into a statement that is not a UUID or a whole number [copy.read-only]", () => {
  expect(() => peopleOf({ storeId: "'; DROP TABLE profiles; --", since: null })).toThrow("not a UUID");
  expect(() => peopleOf({ storeId, since: 1.5 })).toThrow("not a whole number");
  expect(() => documentsOf(storeId, [{ quiz_id: "x", version: 1 }])).toThrow("not a UUID");
});
