import type { Statement } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";

/** The interface for reading the columnar copy. */

/**
 * Runs a DuckDB statement over the tables of schema.ts, named without qualification or store. Rows have the form of
 * `read` in duck.ts; cast exact values, such as money, to VARCHAR. Independent statements may be started together: on a small
 * copy they run in parallel while nobody else is asking.
 */
export type CopyQuery = <Row>(statement: Statement<Row>) => Promise<Row[]>;

export interface CopyAnswer<Result> {
  result: Result;
  /** the store's revision that the answer reflects: that at the time of the call, or a later one */
  revision: number;
  /** calendar ms at which that revision was the newest */
  asOf: number;
}

export interface CopyReader {
  /** Updates the copy and runs one statement. Throws like `read`. */
  ask<Row>(
    storeId: string,
    question: Statement<Row>,
    deadline?: Deadline,
  ): Promise<{ rows: Row[]; revision: number; asOf: number }>;
  /**
   * Updates the copy and runs several statements over one state of it, so that numbers looked up by one statement are
   * valid in the next. `work` may run a second time if the copy proves to be damaged.
   *
   * Throws CopyLoading during the store's first load, a timeout when the deadline expires, and `dependency_unavailable`
   * if memory runs out or PostgreSQL is unavailable.
   */
  read<Result>(
    storeId: string,
    work: (query: CopyQuery) => Promise<Result>,
    deadline?: Deadline,
  ): Promise<CopyAnswer<Result>>;
}

/**
 * The store's columnar copy is being loaded for the first time, which takes longer than a request may wait: 503
 * [search.first-load].
 */
export class CopyLoading extends Problem {
  constructor() {
    super("dependency_unavailable", {
      detail: "The store's data is being loaded for the first time. Try again shortly.",
      extra: { retry_after: 5 },
    });
  }
}
