import { join } from "node:path";
import type pg from "pg";
import { inject } from "vitest";
import { Database } from "../server/platform/database/database.ts";
import { readMigrations } from "../server/platform/database/migrate.ts";
import type { Log } from "../server/platform/log.ts";
import { loadMigrationRules } from "./migration-rules.ts";
import { cloneDatabase, dropDatabase } from "./nodes.ts";
import { patience } from "./slowness.ts";
import { loadStatementRules } from "./statement-rules.ts";
import type { TableRules } from "./statement-select.ts";

/** A test's own database, cloned from the migrated template; every statement is checked against the rules. */
export interface TestDatabase {
  database: Database;
  /** the same database over pipelined connections, like the intake's */
  intakeDatabase: Database;
  connection: pg.ClientConfig;
  close(): Promise<void>;
}

let cloned = 0;

export async function openTestDatabase(log: Log): Promise<TestDatabase> {
  const postgres = inject("postgres");
  cloned += 1;
  const name = `quizstore_test_${process.pid}_${cloned}`;
  await cloneDatabase(postgres, inject("template"), name, inject("workers"));
  const connection = { ...postgres, database: name };
  const [findViolations, tables] = await Promise.all([loadStatementRules(), readTables()]);
  const observe = (sql: string) => {
    const violations = findViolations(sql, tables);
    if (violations.length > 0) throw new Error(`statement against the rules: ${violations.join("; ")}\n${sql}`);
  };
  // a starved machine takes longer than the product's five seconds to open a connection
  const patient = { ...connection, connectionTimeoutMillis: 5_000 * patience };
  const database = new Database({ connection: patient, size: 8, log, observe });
  const intakeDatabase = new Database({ connection: patient, size: 4, log, observe, pipelined: true });
  return {
    database,
    intakeDatabase,
    connection,
    close: async () => {
      await Promise.all([database.close(), intakeDatabase.close()]);
      await dropDatabase(postgres, name, inject("workers"));
    },
  };
}

/** Which tables belong to a store, and which are looked up without one: as marked in the migrations. */
async function readTables(): Promise<TableRules> {
  const { tablesOf } = await loadMigrationRules();
  const migrations = await readMigrations(join(import.meta.dirname, "../migrations"));
  return { ...tablesOf(migrations.map(({ sql }) => sql)), onEveryNode: new Set(inject("onEveryNode")) };
}
