import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import type { LeftOut } from "./left-out.ts";
import { inTransaction } from "./slot.ts";
import type { CopiedRows } from "./source.ts";
import { stageSessions, takeSessionKeys, takeSessions, takeShownProducts } from "./take-over.ts";
import { takeStagedVersions } from "./versions.ts";

export interface SessionLoadDeps {
  storeId: string;
  /** connections that use the store's file: each works on a file of its own */
  ducks: readonly DuckDBConnection[];
  /** versions never change: a connection of its own reads them while another hands over sessions */
  documents: pg.PoolClient;
  /** waits for the right to write to copies */
  write: (work: () => Promise<void>) => Promise<void>;
  /** is told of what is left out */
  leave: (left: LeftOut) => void;
}

/**
 * Takes over the sessions of a first load, two files at once: what DuckDB does with a file of some ten thousand rows runs
 * on one core, whatever it is allowed. Numbers are given by one at a time, tables are filled side by side.
 */
export class SessionLoad {
  readonly #deps: SessionLoadDeps;
  /** by connection: until its file is in, its next one has to wait */
  readonly #busy: Promise<void>[];
  #numbering: Promise<void> = Promise.resolve();
  #files = 0;

  constructor(deps: SessionLoadDeps) {
    this.#deps = deps;
    this.#busy = deps.ducks.map(() => Promise.resolve());
  }

  /** Done when the file was read: it may go. */
  async take(path: string, rows: CopiedRows): Promise<void> {
    const { storeId, ducks, documents, write, leave } = this.#deps;
    const turn = this.#files++ % ducks.length;
    const duck = ducks[turn];
    if (!duck) throw new Error("a load needs a connection");
    await this.#busy[turn];
    const staged = await stageSessions(duck, path, rows, leave);
    if (!staged) return;
    const numbered = this.#numbering.then(() =>
      write(() =>
        inTransaction(duck, async () => {
          await takeStagedVersions(duck, documents, storeId);
          await takeSessionKeys(duck);
          await takeShownProducts(duck, staged);
        }),
      ),
    );
    this.#numbering = numbered;
    const taken = numbered.then(() => write(() => inTransaction(duck, () => takeSessions(duck, staged))));
    this.#busy[turn] = taken;
    // whoever waits for them next hears of a failure; until then it must not count as unhandled
    for (const promise of [numbered, taken]) promise.catch(() => undefined);
  }

  /** Waits until all is in. */
  async finish(): Promise<void> {
    const settled = await Promise.allSettled(this.#busy);
    for (const outcome of settled) if (outcome.status === "rejected") throw outcome.reason;
  }
}
