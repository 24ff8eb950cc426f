import type pg from "pg";
import { type Deadline, Deadlines, type ElapsedClock, noDeadline } from "../deadline.ts";
import { LeastRecentlyUsed } from "../least-recently-used.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problems.ts";
import type { Database } from "./database.ts";
import { isContention } from "./failures.ts";
import { type Runner, type StoreTransaction, sql } from "./sql.ts";

/** Runs transactions of one store; resolves when they are committed. */
export interface StoreTransactions {
  inStore<Result>(
    storeId: string,
    work: (tx: StoreTransaction) => Promise<Result>,
    deadline?: Deadline,
  ): Promise<Result>;
}

export interface NodeAddress {
  host: string;
  port: number;
}

interface NodeDatabase extends StoreTransactions, Pick<Database, "connections" | "close"> {
  reader(deadline?: Deadline): Runner;
}

export interface StoreHomesDeps {
  /** the server that every store can be reached through: a cluster's coordinator */
  coordinator: StoreTransactions & Pick<NodeDatabase, "reader">;
  open: (address: NodeAddress) => NodeDatabase;
  elapsed: ElapsedClock;
  log: Pick<Log, "warn" | "info">;
}

/** One of a cluster's nodes, as this process reaches it. */
interface Node {
  address: NodeAddress;
  group: number;
  database: NodeDatabase;
  /** it answered, and belongs to the same cluster */
  isOpen: boolean;
  triedAt: number;
  trying: boolean;
  warned: boolean;
}

interface Home {
  store: string;
  host: string;
  port: number;
  group: number;
}

/** in ms; a node passes on what concerns a store that was moved away from it, so this need not be recent */
const homeKeptMs = 60_000;
const tryAgainMs = 15_000;
const answersWithinMs = 2_000;
const isAway: ReadonlySet<string> = new Set(["dependency_unavailable", "timeout"]);
const homesAtMost = 20_000;
const readAtOnce = 1_000;

/** Only nodes that know where everything is, and not the coordinator, to which there is a connection already. */
const homesOf = (stores: readonly string[]) => sql<Home>`
  SELECT s.id AS store, n.nodename AS host, n.nodeport AS port, n.groupid AS "group"
  FROM unnest(${stores}::uuid[]) AS s (id)
  JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('store_revisions', s.id)
  JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  WHERE n.isactive AND n.hasmetadata AND n.metadatasynced AND n.groupid <> 0`;

interface Identity {
  group: number;
  cluster: string;
}

/** A host's name may lead somewhere else from here than from the coordinator. */
const identity = sql<Identity>`
  SELECT (SELECT groupid FROM pg_dist_local_group) AS "group",
    (SELECT md5(string_agg(concat_ws(' ', nodeid, groupid, nodename, nodeport), ',' ORDER BY nodeid)) FROM pg_dist_node)
      || (SELECT id FROM stores ORDER BY id LIMIT 1) AS cluster
  WHERE NOT pg_is_in_recovery()`;

/**
 * Runs a store's transactions on the node of a Citus cluster that has the store, over a connection to that node
 * [operations.store-homes]: it plans and commits them by itself. Through the coordinator, each statement would be
 * planned twice, and rows that are inserted from a parameter would be committed in two phases.
 */
export class StoreHomes implements StoreTransactions {
  readonly #deps: StoreHomesDeps;
  readonly #deadlines: Deadlines;
  #isCluster: boolean | null = null;
  /** by store; null: to be reached through the coordinator */
  readonly #homes = new LeastRecentlyUsed<{ node: Node | null; readAt: number }>(homesAtMost);
  /** by host and port */
  readonly #nodes = new Map<string, Node>();
  readonly #unread = new Set<string>();
  #reading = false;
  #readAgainAt = Number.NEGATIVE_INFINITY;

  constructor(deps: StoreHomesDeps) {
    this.#deps = deps;
    this.#deadlines = new Deadlines(deps.elapsed);
  }

  /** Connections to all nodes, like a database's. */
  get connections(): Database["connections"] {
    const sum = { inUse: 0, idle: 0, waiting: 0 };
    for (const { database } of this.#nodes.values()) {
      for (const state of ["inUse", "idle", "waiting"] as const) sum[state] += database.connections[state];
    }
    return sum;
  }

  async inStore<Result>(
    storeId: string,
    work: (tx: StoreTransaction) => Promise<Result>,
    deadline: Deadline = noDeadline,
  ): Promise<Result> {
    const node = this.#nodeOf(storeId);
    if (node === null) return this.#deps.coordinator.inStore(storeId, work, deadline);
    try {
      return await node.database.inStore(storeId, work, deadline);
    } catch (error) {
      if (error instanceof Problem && isAway.has(error.title) && !isContention(error)) this.#doubt(node);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#deadlines.stop();
    await Promise.all(Array.from(this.#nodes.values(), ({ database }) => database.close()));
  }

  /** What is not known yet is found out behind the caller's back, who meanwhile uses the coordinator. */
  #nodeOf(storeId: string): Node | null {
    if (this.#isCluster === false) return null;
    const now = this.#deps.elapsed();
    const home = this.#homes.get(storeId);
    if (home === undefined || now - home.readAt > homeKeptMs) this.#lookUp(storeId);
    const node = home?.node ?? null;
    if (node === null || node.isOpen) return node;
    if (now - node.triedAt >= tryAgainMs) void this.#try(node);
    return null;
  }

  #lookUp(storeId: string): void {
    if (this.#deps.elapsed() < this.#readAgainAt || this.#unread.size >= readAtOnce) return;
    this.#unread.add(storeId);
    if (!this.#reading) void this.#readHomes();
  }

  async #readHomes(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#unread.size > 0 && this.#isCluster !== false) await this.#readSome();
    } catch (error) {
      this.#readAgainAt = this.#deps.elapsed() + tryAgainMs;
      this.#deps.log.warn({ err: error }, "where the cluster has its stores could not be read");
    } finally {
      this.#unread.clear();
      this.#reading = false;
    }
  }

  async #readSome(): Promise<void> {
    const { coordinator, elapsed } = this.#deps;
    if (this.#isCluster === null) {
      const [row] = await this.#deadlines.within(answersWithinMs, (deadline) =>
        coordinator.reader(deadline).all(sql<{ is_cluster: boolean }>`
          SELECT to_regclass('pg_dist_placement') IS NOT NULL AS is_cluster`),
      );
      this.#isCluster = row?.is_cluster === true;
      if (!this.#isCluster) return;
    }
    const stores = [...this.#unread];
    this.#unread.clear();
    const rows = await this.#deadlines.within(answersWithinMs, (deadline) =>
      coordinator.reader(deadline).all(homesOf(stores)),
    );
    const byStore = new Map(rows.map((row) => [row.store, row]));
    for (const store of stores) {
      const home = byStore.get(store);
      this.#homes.set(store, { node: home ? this.#nodeAt(home) : null, readAt: elapsed() });
    }
  }

  #nodeAt({ host, port, group }: Home): Node {
    const key = `${host} ${port} ${group}`;
    const known = this.#nodes.get(key);
    if (known) return known;
    const address = { host, port };
    const node = {
      ...{ address, group, database: this.#deps.open(address) },
      ...{ isOpen: false, triedAt: Number.NEGATIVE_INFINITY, trying: false, warned: false },
    };
    this.#nodes.set(key, node);
    void this.#try(node);
    return node;
  }

  #doubt(node: Node): void {
    node.isOpen = false;
    void this.#try(node);
  }

  async #try(node: Node): Promise<void> {
    if (node.trying) return;
    node.trying = true;
    node.triedAt = this.#deps.elapsed();
    const { host, port } = node.address;
    const where = { node: `${host}:${port}` };
    const { coordinator, log } = this.#deps;
    try {
      const [ours, theirs] = await this.#deadlines.within(answersWithinMs, (deadline) =>
        Promise.all([coordinator, node.database].map((each) => each.reader(deadline).first(identity))),
      );
      if (theirs?.group !== node.group || theirs.cluster !== ours?.cluster) throw new Error("it is another database");
      node.isOpen = true;
      if (node.warned) log.info(where, "a node of the database can be reached directly again");
      node.warned = false;
    } catch (error) {
      node.isOpen = false;
      if (!node.warned)
        log.warn(
          { err: error, ...where },
          "a node of the database cannot be reached directly; the coordinator is used",
        );
      node.warned = true;
    } finally {
      node.trying = false;
    }
  }
}

/** The same database at another address. SET LOCAL has to apply where the node passes a statement on, too. */
export function connectionAt(connection: pg.PoolConfig, { host, port }: NodeAddress): pg.PoolConfig {
  const setting = "-c citus.propagate_set_commands=local";
  const { connectionString, options } = connection;
  if (connectionString === undefined) {
    return { ...connection, host, port, options: [options, setting].filter(Boolean).join(" ") };
  }
  const url = new URL(connectionString);
  url.hostname = host.includes(":") ? `[${host}]` : host;
  url.port = String(port);
  for (const name of ["host", "port"]) url.searchParams.delete(name);
  url.searchParams.set("options", [url.searchParams.get("options"), setting].filter(Boolean).join(" "));
  return { ...connection, connectionString: url.href };
}
