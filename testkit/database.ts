import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { Database } from "../server/platform/database/database.ts";
import { readMigrations } from "../server/platform/database/migrate.ts";
import type { Log } from "../server/platform/log.ts";
import { loadMigrationRules } from "./migration-rules.ts";
import { loadStatementRules } from "./statement-rules.ts";
import type { TableRules } from "./statement-select.ts";

/** A database of one's own, cloned from the migrated template, whose every statement is held against the rules. */
export interface TestDatabase {
  database: Database;
  /** the same database over pipelined connections, as the intake has them */
  intakeDatabase: Database;
  connection: pg.ClientConfig;
  close(): Promise<void>;
}

let cloned = 0;

export async function openTestDatabase(log: Log): Promise<TestDatabase> {
  const postgres = inject("postgres");
  cloned += 1;
  const name = `quizstore_test_${process.pid}_${cloned}`;
  await administer(postgres, `CREATE DATABASE ${name} TEMPLATE ${inject("template")}`);
  const connection = { ...postgres, database: name };
  const [findViolations, tables] = await Promise.all([loadStatementRules(), readTables()]);
  const observe = (sql: string) => {
    const violations = findViolations(sql, tables);
    if (violations.length > 0) throw new Error(`statement against the rules: ${violations.join("; ")}\n${sql}`);
  };
  const database = new Database({ connection, size: 8, log, observe });
  const intakeDatabase = new Database({ connection, size: 4, log, observe, pipelined: true });
  return {
    database,
    intakeDatabase,
    connection,
    close: async () => {
      await Promise.all([database.close(), intakeDatabase.close()]);
      await administer(postgres, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function administer(postgres: pg.ClientConfig, sql: string): Promise<void> {
  const client = new pg.Client(postgres);
  await client.connect();
  // two clones of one template at the same moment disturb each other
  await client.query("SELECT pg_advisory_lock(7241099)");
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Which tables are a store's own, and which are looked up without one: as the migrations mark them. */
async function readTables(): Promise<TableRules> {
  const { tablesOf } = await loadMigrationRules();
  const migrations = await readMigrations(join(import.meta.dirname, "../migrations"));
  return tablesOf(migrations.map((migration) => migration.sql));
}
