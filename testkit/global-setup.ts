import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import type { TestProject } from "vitest/node";
import { distribute, readCatalog } from "../server/platform/database/citus.ts";
import { placementsOf } from "../server/platform/database/citus-plan.ts";
import { migrate, readMigrations } from "../server/platform/database/migrate.ts";
import { openEmbedded } from "../server/platform/embedded-postgres/open-embedded.ts";
import { installedIn } from "./installed.ts";
import { createOnCluster, dropDatabase, onEachNode, withClient, workersOf } from "./nodes.ts";
import { serverOf } from "./server-url.ts";

/**
 * One PostgreSQL for the whole run, with a migrated template that each test file clones: the embedded one, or the
 * server at TEST_DATABASE_URL (whose user may create databases), which with TEST_CITUS_WORKERS is a cluster's
 * coordinator.
 */
declare module "vitest" {
  export interface ProvidedContext {
    postgres: pg.ClientConfig;
    template: string;
    /** tables that every node of a cluster has */
    onEveryNode: string[];
    /** ports of a Citus cluster's workers; empty for a single PostgreSQL */
    workers: number[];
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
  const workers = workersOf();
  const onEveryNode = await makeTemplate(postgres, workers, template);
  project.provide("postgres", postgres);
  project.provide("template", template);
  project.provide("onEveryNode", onEveryNode);
  project.provide("workers", workers);
  return async () => {
    await dropDatabase(postgres, template, workers);
    await embedded?.stop();
    for (const made of [folder, installedIn(template)]) await rm(made, { recursive: true, force: true });
  };
};

/** Returns the tables that every node of a cluster has, or would have. */
async function makeTemplate(
  postgres: pg.ClientConfig,
  workers: readonly number[],
  template: string,
): Promise<string[]> {
  const connection = { ...postgres, database: template };
  if (workers.length > 0) await createOnCluster(postgres, workers, template);
  else await onEachNode(postgres, [], [`CREATE DATABASE ${template}`]);
  await migrate(connection, await readMigrations(join(import.meta.dirname, "../migrations")));
  const placements = placementsOf(await withClient(connection, readCatalog));
  const onEveryNode = [...placements].flatMap(([table, placement]) => (placement === "reference" ? [table] : []));
  if (workers.length === 0) return onEveryNode;
  await withClient(connection, (client) => distribute(client, () => undefined));
  // a template with connections cannot be cloned, and Citus' own process would connect to it
  await onEachNode(postgres, workers, [
    `ALTER DATABASE ${template} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${template}'`,
  ]);
  return onEveryNode;
}

export { setup };
