import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import { inTransaction } from "./slot.ts";
import type { CopiedRows } from "./source.ts";
import { stageSessions, takeSessions } from "./take-over.ts";
import { takeVersions } from "./versions.ts";

export interface SessionLoadTools {
  storeId: string;
  /** connections that use the store's file, two of them: while one fills tables, the other reads the next file */
  ducks: readonly [DuckDBConnection, DuckDBConnection];
  /** versions never change: a connection of its own reads them while another hands over sessions */
  documents: pg.PoolClient;
  /** waits for the right to write to copies */
  write: (work: () => Promise<void>) => Promise<void>;
}

/**
 * Takes over the sessions of a first load, file by file. Reading a file is a third of the work, and filling the tables
 * runs on one core whatever DuckDB is allowed: so the two overlap.
 */
export class SessionLoad {
  readonly #tools: SessionLoadTools;
  /** the last filling that was begun; they follow one another */
  #last: Promise<void> = Promise.resolve();
  #beforeLast: Promise<void> = Promise.resolve();
  #files = 0;

  constructor(tools: SessionLoadTools) {
    this.#tools = tools;
  }

  /** Done when the file was read: it may go. */
  async take(path: string, rows: CopiedRows): Promise<void> {
    const { storeId, ducks, documents, write } = this.#tools;
    const duck = ducks[this.#files % 2 === 0 ? 0 : 1];
    this.#files += 1;
    // what this connection staged before is needed until then
    await this.#beforeLast;
    await stageSessions(duck, path, rows);
    this.#beforeLast = this.#last;
    this.#last = this.#last.then(() =>
      write(() =>
        inTransaction(duck, async () => {
          await takeVersions(duck, documents, storeId);
          await takeSessions(duck);
        }),
      ),
    );
    // whoever waits for it next hears of a failure; until then it must not count as unhandled
    this.#last.catch(() => undefined);
  }

  /** Waits until all is in. */
  finish(): Promise<void> {
    return this.#last;
  }
}
