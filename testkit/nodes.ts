import pg from "pg";

/**
 * Where tests' databases are: on one PostgreSQL, or on a Citus cluster, of which it is the coordinator; the workers
 * listen on the same host, at the ports in TEST_CITUS_WORKERS. The nodes connect to each other at 127.0.0.1 without a
 * password.
 */
export function workersOf(ports = process.env["TEST_CITUS_WORKERS"] ?? ""): number[] {
  return ports.split(",").flatMap((port) => (port.trim() === "" ? [] : [Number(port)]));
}

/** Runs statements in the named database, on the workers and then on the server that tests connect to. */
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

/** The rows of a query that each node answers for itself, such as one about its processes. */
export async function readEachNode<Row extends pg.QueryResultRow>(
  postgres: pg.ClientConfig,
  workers: readonly number[],
  sql: string,
): Promise<Row[]> {
  const ports = [...workers, postgres.port];
  const read = (port: number | undefined) =>
    withClient({ ...postgres, ...(port === undefined ? {} : { port }) }, (client) => client.query<Row>(sql));
  return (await Promise.all(ports.map(read))).flatMap(({ rows }) => rows);
}

/** A connection to the node that has the store's rows. */
export async function homeOf(
  postgres: pg.ClientConfig,
  workers: readonly number[],
  storeId: string,
): Promise<pg.ClientConfig> {
  if (workers.length === 0) return postgres;
  const { rows } = await withClient(postgres, (client) =>
    client.query<{ port: number }>(
      `SELECT n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
       WHERE p.shardid = get_shard_id_for_distribution_column('store_revisions', $1::uuid)`,
      [storeId],
    ),
  );
  return { ...postgres, ...rows[0] };
}

/** Does the work while the database on one worker refuses connections and has lost those that it had. */
export async function withoutNode<T>(postgres: pg.ClientConfig, port: number, work: () => Promise<T>): Promise<T> {
  const { database } = postgres;
  const server = { ...postgres, port, database: "postgres" };
  const allow = (allowed: boolean) => `ALTER DATABASE ${database} ALLOW_CONNECTIONS ${allowed}`;
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
  await onEachNode(server, [], [allow(false), end]);
  try {
    return await work();
  } finally {
    await onEachNode(server, [], [allow(true)]);
  }
}

/** A database with the extension on every node, whose coordinator knows the workers. */
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
 * Clones a template without connections. Database settings made by `migrate --citus` are not cloned. Its files are
 * copied: PostgreSQL would otherwise also write each of its 9 MB to its log, which takes ten times as long.
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

/** On the coordinator first: its own processes would connect to the others' databases again. */
export const dropDatabase = (postgres: pg.ClientConfig, name: string, workers: readonly number[]): Promise<void> =>
  administer(postgres, async () => {
    const drop = [`DROP DATABASE ${name} WITH (FORCE)`];
    await onEachNode(postgres, [], drop);
    for (const port of workers) await onEachNode({ ...postgres, port }, [], drop);
  });

/** Cloning one template twice at the same time fails. */
const administer = (postgres: pg.ClientConfig, work: () => Promise<void>): Promise<void> =>
  withClient(postgres, async (client) => {
    await client.query("SELECT pg_advisory_lock(7241099)");
    await work();
  });
