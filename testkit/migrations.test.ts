import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMigrations } from "../server/platform/database/migrate.ts";
import { loadMigrationRules } from "./migration-rules.ts";

describe("migrations", () => {
  it("keep every tenant table and index under its store [database.store-keys]", async () => {
    const { checkMigration, tablesOf } = await loadMigrationRules();
    const migrations = await readMigrations(join(import.meta.dirname, "../migrations"));
    const { reference } = tablesOf(migrations.map((migration) => migration.sql));
    expect(migrations.length).toBeGreaterThan(1);
    for (const { name, sql } of migrations)
      expect({ name, violations: checkMigration(sql, reference) }).toEqual({ name, violations: [] });
  });
});
