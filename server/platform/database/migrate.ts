import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/** Numbered SQL files, applied in order under a lock, each in a transaction of its own. */
export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
}

export class MigrationError extends Error {}

const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** any constant, the same in every release: processes that start together take turns */
const lockKey = 7_241_001;

export async function readMigrations(directory: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const file of (await readdir(directory)).sort()) {
    const match = fileName.exec(file);
    if (!match?.[1] || !match[2]) continue;
    const sql = await readFile(join(directory, file), "utf8");
    const checksum = createHash("sha256").update(sql).digest("hex");
    migrations.push({ number: Number(match[1]), name: match[2], sql, checksum });
  }
  return migrations;
}

/** Brings the database to the newest migration; returns the names of those that were applied now. */
export async function migrate(connection: pg.ClientConfig, migrations: readonly Migration[]): Promise<string[]> {
  const client = new pg.Client({ ...connection, application_name: "quizstore migrate" });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [lockKey]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL)`,
    );
    const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
      "SELECT number, name, checksum FROM schema_migrations ORDER BY number",
    );
    assertSameHistory(rows, migrations);
    const applied: string[] = [];
    for (const migration of migrations.slice(rows.length)) {
      await apply(client, migration);
      applied.push(migration.name);
    }
    return applied;
  } finally {
    await client.end();
  }
}

function assertSameHistory(applied: { number: number; name: string; checksum: string }[], known: readonly Migration[]) {
  if (applied.length > known.length) {
    throw new MigrationError(
      `the database is at migration ${applied.length}, this program knows ${known.length}; run a newer quizstore`,
    );
  }
  for (const [index, row] of applied.entries()) {
    if (known[index]?.checksum === row.checksum) continue;
    throw new MigrationError(
      `migration ${row.number} (${row.name}) was applied in another form; was its file changed?`,
    );
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("BEGIN");
    await client.query(migration.sql);
    await client.query("INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)", [
      migration.number,
      migration.name,
      migration.checksum,
    ]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw new MigrationError(`migration ${migration.number} (${migration.name}) failed`, { cause: error });
  }
}
