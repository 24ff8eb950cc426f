import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, readMigrations } from "../server/platform/database/migrate.ts";
import { openEmbedded } from "../server/platform/embedded-postgres/open-embedded.ts";

/** `npm run schema`: writes the tables' types from the migrated schema; with --check says whether they are as committed. */

const root = join(import.meta.dirname, "..");
const folder = await mkdtemp(join(tmpdir(), "quizstore-schema-"));
const postgres = await openEmbedded({
  dataDir: folder,
  role: "command",
  log: () => undefined,
  settings: { fsync: "off" },
});
try {
  const { host, port, user, database } = postgres.connection;
  await migrate(postgres.connection, await readMigrations(join(root, "migrations")));
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const words = [
    ["--dialect", "postgres"],
    ["--url", url],
    ["--out-file", join(root, "server/platform/database/schema.generated.ts")],
    ["--exclude-pattern", "*schema_migrations"],
    ["--type-mapping", '{"int8":"number"}'],
    process.argv.includes("--check") ? ["--verify"] : [],
  ].flat();
  const { status } = spawnSync(join(root, "node_modules/.bin/kysely-codegen"), words, { stdio: "inherit", cwd: root });
  process.exitCode = status ?? 1;
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
