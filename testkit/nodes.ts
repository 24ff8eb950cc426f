import pg from "pg";

/**
 * Where databases of tests lie: on one PostgreSQL, or on a Citus cluster whose coordinator that is, and whose workers listen
 * on the same host at the ports of TEST_CITUS_WORKERS. Its nodes connect to each other at 127.0.0.1 without a password.
 */
export function workersOf(ports = process.env["TEST_CITUS_WORKERS"] ?? ""): number[] {
  return ports.split(",").flatMap((port) => (port.trim() === "" ? [] : [Number(port)]));
}

/** Runs statements on the workers and then on the server that tests connect to, in the database that is named. */
export async function onEachNode(
  postgres: pg.ClientConfig,
  workers: readonly number[],
  statements: readonly string[],
): Promise<void> {
  for (const port of [...workers, postgres.port]) {
    await withClient({ ...postgres, ...(port === undefined ? {} : { port }) }, async (client) => {
      for (const sql of statements) await client.query(sql);
    });
  }
}

export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A database with the extension on every node, in which the coordinator knows the others. */
export async function createOnCluster(
  postgres: pg.ClientConfig,
  workers: readonly number[],
  name: string,
): Promise<void> {
  await onEachNode(postgres, workers, [
    "SET citus.enable_create_database_propagation = off",
    `CREATE DATABASE ${name}`,
  ]);
  await onEachNode({ ...postgres, database: name }, workers, ["CREATE EXTENSION citus"]);
  await withClient({ ...postgres, database: name }, async (client) => {
    await client.query("SELECT citus_set_coordinator_host('127.0.0.1', $1::integer)", [postgres.port ?? 5432]);
    for (const port of workers) await client.query("SELECT citus_add_node('127.0.0.1', $1::integer)", [port]);
  });
}

/**
 * A clone of a template that nobody is connected to. What `migrate --citus` sets for the database is not cloned with it.
 * Its files are copied: PostgreSQL would otherwise write each of its 9 MB to its log as well, which takes ten times as long.
 */
export async function cloneDatabase(
  postgres: pg.ClientConfig,
  template: string,
  name: string,
  workers: readonly number[],
) {
  await administer(postgres, async () => {
    await onEachNode(postgres, workers, [`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`]);
    if (workers.length === 0) return;
    await onEachNode(postgres, [], [`ALTER DATABASE ${name} SET citus.propagate_set_commands = 'local'`]);
  });
}

export const dropDatabase = (postgres: pg.ClientConfig, name: string, workers: readonly number[]): Promise<void> =>
  administer(postgres, () => onEachNode(postgres, workers, [`DROP DATABASE ${name} WITH (FORCE)`]));

/** Two clones of one template at the same moment disturb each other. */
const administer = (postgres: pg.ClientConfig, work: () => Promise<void>): Promise<void> =>
  withClient(postgres, async (client) => {
    await client.query("SELECT pg_advisory_lock(7241099)");
    await work();
  });
