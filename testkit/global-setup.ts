import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate, readMigrations } from "../server/platform/database/migrate.ts";
import { openEmbedded } from "../server/platform/embedded-postgres/open-embedded.ts";
import { serverOf } from "./server-url.ts";

/**
 * One PostgreSQL for the whole run, with a migrated template that each test file clones: the embedded one, or
 * the server of TEST_DATABASE_URL (whose user may create databases).
 */
declare module "vitest" {
  export interface ProvidedContext {
    postgres: pg.ClientConfig;
    template: string;
  }
}

const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const url = process.env["TEST_DATABASE_URL"];
  const folder = await mkdtemp(join(tmpdir(), "quizstore-test-"));
  const embedded = url
    ? null
    : await openEmbedded({
        dataDir: folder,
        role: "command",
        log: () => undefined,
        settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" },
      });
  const postgres: pg.ClientConfig = url ? serverOf(url) : { ...embedded?.connection };
  const template = `quizstore_template_${process.pid}`;
  const admin = new pg.Client(postgres);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${template}`);
  await migrate({ ...postgres, database: template }, await readMigrations(join(import.meta.dirname, "../migrations")));
  project.provide("postgres", postgres);
  project.provide("template", template);
  return async () => {
    await admin.query(`DROP DATABASE ${template} WITH (FORCE)`);
    await admin.end();
    await embedded?.stop();
    await rm(folder, { recursive: true, force: true });
  };
};

export { setup };
