import { AsyncLocalStorage } from "node:async_hooks";
import { Database, type DatabaseDeps } from "../../server/platform/database/database.ts";
import {
  type Runner,
  runnerOf,
  type Statement,
  type Transaction,
  transactionOf,
} from "../../server/platform/database/sql.ts";
import type { Deadline } from "../../server/platform/deadline.ts";
import { retryLater } from "../../server/platform/problems.ts";

/**
 * The database as seen by a simulated process. Operations run one after another, in the order in which they were
 * requested: which of two connections answers first is the one thing that a seed could not reproduce. Other suites test
 * races between rows.
 */
export class Gate {
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** Resolves when everything requested so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** Operations requested inside a transaction, on another connection, do not wait for that transaction. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inside.getStore()?.open) return work();
    const token = { open: true };
    this.#waiting += 1;
    const result = this.#last.then(() => this.#inside.run(token, work));
    this.#last = result.then(
      () => this.#done(token),
      () => this.#done(token),
    );
    return result;
  }

  #done(token: { open: boolean }): void {
    token.open = false;
    this.#waiting -= 1;
  }
}

/** A future failure: the connection is lost before a statement, or after the commit and before its answer. */
export interface Trouble {
  kind: "before" | "after_commit";
  /** number of statements until then */
  left: number;
}

/** A process that may end at any moment. Its requests after that are never answered. */
export class Life {
  dead = false;
  /** number of statements until it dies; null: it stays alive */
  left: number | null = null;
  trouble: Trouble | null = null;
  /** number of failures that occurred */
  met = 0;
  /** number of transactions begun */
  transactions = 0;

  /** Whether this is the last statement before its death. */
  tick(): boolean {
    if (this.left === null) return false;
    this.left -= 1;
    if (this.left > 0) return false;
    this.dead = true;
    return true;
  }

  /** Throws if the connection is lost now. */
  connection(): void {
    const { trouble } = this;
    if (trouble === null) return;
    trouble.left -= 1;
    if (trouble.kind === "before" && trouble.left <= 0) throw this.lost();
  }

  lost(): Error {
    this.trouble = null;
    this.met += 1;
    return retryLater("dependency_unavailable", 2, new Error("the connection was lost"));
  }
}

class Died extends Error {}

const never = <Result>(): Promise<Result> => new Promise<Result>(() => undefined);

/** Shares the connections of `inner`; its own pool never opens one. */
export class SimulatedDatabase extends Database {
  readonly #inner: Database;
  readonly #gate: Gate;
  readonly #life: Life;

  constructor(settings: DatabaseDeps, inner: Database, gate: Gate, life: Life) {
    super(settings);
    this.#inner = inner;
    this.#gate = gate;
    this.#life = life;
  }

  override reader(deadline?: Deadline): Runner {
    const runner = this.#inner.reader(deadline);
    return runnerOf((statement) =>
      this.#living(() => {
        if (this.#life.tick()) throw new Died();
        this.#life.connection();
        return runner.all(statement);
      }),
    );
  }

  override transaction<Result>(work: (tx: Transaction) => Promise<Result>, deadline?: Deadline): Promise<Result> {
    return this.#living(async () => {
      this.#life.transactions += 1;
      const result = await this.#inner.transaction(async (tx) => {
        // a process that dies sends nothing any more, not even COMMIT, so each statement is answered before the next is
        // sent
        const sent: Promise<unknown>[] = [];
        const worked = await work(this.#watched(tx, (statements) => sent.push(statements)));
        await Promise.all(sent);
        return worked;
      }, deadline);
      if (this.#life.trouble?.kind === "after_commit" && this.#life.trouble.left <= 0) throw this.#life.lost();
      return result;
    });
  }

  override dedicated(): ReturnType<Database["dedicated"]> {
    return this.#inner.dedicated();
  }

  #watched(tx: Transaction, beforeCommit: Transaction["beforeCommit"]): Transaction {
    const all = async <Row>(statement: Statement<Row>): Promise<Row[]> => {
      if (this.#life.tick()) throw new Died();
      this.#life.connection();
      return tx.all(statement);
    };
    // only the hooks are passed on, so that all statements go through here
    const { announce, afterCommit } = tx;
    return transactionOf(all, { announce, afterCommit, beforeCommit });
  }

  async #living<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#life.dead) return never();
    try {
      const result = await this.#gate.run(async () => {
        if (this.#life.dead) throw new Died();
        return work();
      });
      return this.#life.dead ? never() : result;
    } catch (error) {
      if (error instanceof Died || this.#life.dead) return never();
      throw error;
    }
  }
}
