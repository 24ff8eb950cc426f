import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Migration, readMigrations } from "../server/platform/database/migrate.ts";
import { loadUpgradeRules } from "./upgrade-rules.ts";

const check = await loadUpgradeRules();
const expanding: Omit<Migration, "sql"> = {
  ...{ number: 9, name: "trial", checksum: "", oldestProgram: 0, transactional: true },
};

describe("migrations", () => {
  it("from 0008 on suit the programs before them, or say which programs they need [database.expand, database.contract]", async () => {
    const migrations = await readMigrations(join(import.meta.dirname, "../migrations"));
    for (const migration of migrations.filter(({ number }) => number > 7)) {
      expect([migration.name, check(migration)]).toEqual([migration.name, []]);
    }
  });

  it.each([
    "CREATE TABLE sizes (store_id uuid PRIMARY KEY, n integer NOT NULL); CREATE INDEX sizes_by_n ON sizes (store_id, n);",
    "ALTER TABLE profiles ADD COLUMN size integer;",
    "ALTER TABLE profiles ADD COLUMN size integer NOT NULL DEFAULT 0;",
    "ALTER TABLE profiles ADD CONSTRAINT tall CHECK (sessions_count >= 0) NOT VALID;",
  ])("may expand [database.expand]: %s", (sql) => {
    expect(check({ ...expanding, sql })).toEqual([]);
  });

  it.each([
    ["ALTER TABLE profiles DROP COLUMN spent;", "drops a column"],
    ["ALTER TABLE profiles RENAME COLUMN spent TO paid;", "renames something"],
    ["ALTER TABLE profiles ALTER COLUMN spent TYPE text;", "changes a column's type"],
    ["ALTER TABLE profiles ALTER COLUMN last_order_at SET NOT NULL;", "makes a column NOT NULL"],
    ["ALTER TABLE profiles ADD CONSTRAINT tall CHECK (sessions_count > 0);", "as NOT VALID"],
    ["DROP TABLE profiles;", "drops a table"],
  ])("contract only where they say which programs they need [database.contract]: %s", (sql, what) => {
    expect(check({ ...expanding, sql })).toEqual([expect.stringContaining(what)]);
    expect(check({ ...expanding, sql, oldestProgram: 8 })).toEqual([]);
    expect(check({ ...expanding, sql, oldestProgram: 9 })).toEqual([expect.stringContaining("know itself")]);
  });

  it.each([
    ["ALTER TABLE profiles ADD COLUMN size integer NOT NULL;", "leave empty"],
    ["CREATE INDEX a ON profiles (store_id, spent);", "without CONCURRENTLY"],
    ["CREATE INDEX CONCURRENTLY a ON profiles (store_id, spent);", "outside a transaction"],
  ])("never [database.expand, database.index-migrations]: %s", (sql, what) => {
    expect(check({ ...expanding, sql, oldestProgram: 8 })).toEqual([expect.stringContaining(what)]);
  });

  it("do nothing but indexes outside a transaction [database.index-migrations]", () => {
    const index = "DROP INDEX CONCURRENTLY IF EXISTS a; CREATE INDEX CONCURRENTLY a ON profiles (store_id, spent);";
    expect(check({ ...expanding, transactional: false, sql: index })).toEqual([]);
    const more = `${index} ALTER TABLE profiles ADD COLUMN size integer;`;
    expect(check({ ...expanding, transactional: false, sql: more })).toEqual([
      "does more than indexes outside a transaction",
    ]);
  });
});
