import { type Deadline, Deadlines, type ElapsedClock } from "../deadline.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problems.ts";
import { type Runner, type Statement, sql } from "./sql.ts";

/**
 * The nodes of a Citus cluster that hold stores, and which of them do not respond [operations.node-away]. Outside a
 * cluster there are none, and only that is queried.
 */

export interface NodeState {
  /** host:port */
  address: string;
  answers: boolean;
}

export interface ClusterNodesDeps {
  /** a separate pool, because a query to a hanging node occupies a connection for seconds */
  database: { reader(deadline?: Deadline): Runner };
  elapsed: ElapsedClock;
  log: Log;
}

/** A node that does not answer a query for one row within this many ms counts as away. */
const answersWithinMs = 2_000;
/** time limit in ms for a query over the stores of the other nodes */
const othersWithinMs = 10_000;
/** ms after which the layout is read again, to learn about new and moved stores */
const layoutKeptMs = 10_000;
const askEveryMs = 5_000;
/**
 * A longer interval in ms: each query to a hanging node may occupy a process of the coordinator until the node is back.
 */
const askAgainMs = 15_000;

const isClusterStatement = sql<{ is_cluster: boolean }>`
  SELECT to_regclass('pg_dist_partition') IS NOT NULL AS is_cluster`;
const layoutOf = (stores: readonly string[]) => sql<Node>`
  SELECT n.nodename || ':' || n.nodeport AS address, array_agg(s.id) AS stores
  FROM unnest(${stores}::uuid[]) AS s (id)
  JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('store_revisions', s.id)
  JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  GROUP BY 1 ORDER BY 1`;

type StoresQuery<Row> = (deadline: Deadline | null, stores: readonly string[] | null) => Promise<Row[]>;

interface Node {
  address: string;
  stores: string[];
}

export class ClusterNodes {
  readonly #settings: ClusterNodesDeps;
  readonly #deadlines: Deadlines;
  /** null: not known yet */
  #isCluster: boolean | null = null;
  #nodes: readonly Node[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  /** elapsed time of the next check, by address */
  readonly #askAt = new Map<string, number>();
  readonly #away = new Set<string>();
  /** stores on nodes that are away */
  #waiting: ReadonlySet<string> = new Set();

  constructor(settings: ClusterNodesDeps) {
    this.#settings = settings;
    this.#deadlines = new Deadlines(settings.elapsed);
  }

  /** Whether any node failed to respond at the last check. */
  get someAway(): boolean {
    return this.#away.size > 0;
  }

  /** Whether the store's node failed to respond at the last check: work for the store can wait. */
  isAway(storeId: string): boolean {
    return this.#waiting.has(storeId);
  }

  /**
   * Checks the nodes that are due, and returns what is known after `waitsMs` at the latest. Empty outside a cluster.
   * Nodes without stores are left out.
   */
  async states(waitsMs = 1_000): Promise<NodeState[]> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitsMs);
    await Promise.race([this.#ask(), late]).finally(() => clearTimeout(timer));
    return this.#nodes.map(({ address }) => ({ address, answers: !this.#away.has(address) }));
  }

  /**
   * Runs a query across stores: over all of them, or, while a node is unreachable, over those of the other nodes. Otherwise one
   * node would hold up the due work of every store.
   *
   * @param query gets its deadline (null: the usual one) and the stores to search (null: all)
   */
  async across<Row>(query: StoresQuery<Row>): Promise<Row[]> {
    if (this.#isCluster === null) await this.#readNodes();
    if (this.#isCluster === false) return query(null, null);
    if (this.#away.size > 0) {
      // the query over the other nodes does not wait for the check
      this.#ask().catch((error: unknown) =>
        this.#settings.log.warn({ err: error }, "the database's nodes could not be checked"),
      );
      return this.#within(othersWithinMs, (deadline) => query(deadline, this.#reached()));
    }
    try {
      return await this.#within(answersWithinMs, (deadline) => query(deadline, null));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await this.#ask(true);
      if (this.#away.size > 0) return this.#within(othersWithinMs, (deadline) => query(deadline, this.#reached()));
      if (error.title !== "timeout") throw error;
      // all nodes respond: the query is merely slow, and gets the usual time
      return query(null, null);
    }
  }

  #reached(): string[] {
    return this.#nodes.flatMap(({ address, stores }) => (this.#away.has(address) ? [] : stores));
  }

  async #ask(now = false): Promise<void> {
    const asking = this.#asking;
    if (asking !== null) return asking;
    this.#asking = this.#askThose(now).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askThose(now: boolean): Promise<void> {
    await this.#readNodes();
    const at = this.#settings.elapsed();
    const turn = this.#nodes.filter(({ address }) => now || (this.#askAt.get(address) ?? at) <= at);
    await Promise.all(turn.map((node) => this.#askNode(node)));
    const away = this.#nodes.filter(({ address }) => this.#away.has(address));
    this.#waiting = new Set(away.flatMap(({ stores }) => stores));
  }

  async #askNode({ address, stores: [store] }: Node): Promise<void> {
    const { elapsed, log } = this.#settings;
    try {
      await this.#read(sql`SELECT revision FROM store_revisions WHERE store_id = ${store}`);
      this.#askAt.set(address, elapsed() + askEveryMs);
      if (this.#away.delete(address)) log.warn({ node: address }, "a node of the database responds again");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#askAt.set(address, elapsed() + askAgainMs);
      if (this.#away.has(address)) return;
      this.#away.add(address);
      log.error(
        { err: error, node: address },
        "a node of the database does not respond; due work of its stores is postponed",
      );
    }
  }

  async #readNodes(): Promise<void> {
    const { elapsed, database } = this.#settings;
    if (elapsed() - this.#readAt < layoutKeptMs) return;
    if (this.#isCluster === null) {
      // needs no node: if this is slow, the process has just started
      const [row] = await database.reader().all(isClusterStatement);
      this.#isCluster = row?.is_cluster === true;
    }
    if (!this.#isCluster) return;
    const stores = await this.#read(sql<{ id: string }>`SELECT id FROM stores`);
    this.#nodes = await this.#read(layoutOf(stores.map(({ id }) => id)));
    for (const address of this.#away)
      if (!this.#nodes.some((node) => node.address === address)) this.#away.delete(address);
    this.#readAt = elapsed();
  }

  #read<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { database } = this.#settings;
    return this.#within(answersWithinMs, (deadline) => database.reader(deadline).all(statement));
  }

  async #within<Result>(milliseconds: number, work: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    const deadline = this.#deadlines.open(milliseconds);
    try {
      return await work(deadline);
    } finally {
      this.#deadlines.close(deadline);
    }
  }
}
