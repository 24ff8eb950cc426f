import type { Statement } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { Problem } from "../platform/problems.ts";

/** How the columnar copy is asked. */

/**
 * Puts a statement of DuckDB's SQL over the tables of schema.ts, unqualified; it names no store. Rows are as `plainRows` has them: what has to be exact, such as money, is cast to VARCHAR.
 * Those that do not need each other's answers may be put at once: of a small copy they run side by side while nobody else asks.
 */
export type CopyQuery = <Row>(statement: Statement<Row>) => Promise<Row[]>;

export interface CopyAnswer<Result> {
  result: Result;
  /** the store's revision that the answer reflects: the one at the time of asking, or a later one */
  revision: number;
  /** the calendar's ms at which that revision was the newest */
  asOf: number;
}

export interface CopyReader {
  /** One statement over the copy, brought up to date first. Errors as `read`. */
  ask<Row>(
    storeId: string,
    question: Statement<Row>,
    deadline?: Deadline,
  ): Promise<{ rows: Row[]; revision: number; asOf: number }>;
  /**
   * Several statements over one state of the copy, brought up to date first: numbers looked up by the first are valid
   * in the next. `work` may run a second time, should the copy prove damaged.
   *
   * Throws CopyLoading while the store is loaded for the first time, a timeout when the deadline passes, and
   * `dependency_unavailable` when memory or PostgreSQL is short.
   */
  read<Result>(
    storeId: string,
    work: (query: CopyQuery) => Promise<Result>,
    deadline?: Deadline,
  ): Promise<CopyAnswer<Result>>;
}

/**
 * The store's facts are being loaded for the first time, which takes longer than a request waits: 503
 * [search.first-load].
 */
export class CopyLoading extends Problem {
  constructor() {
    super("dependency_unavailable", {
      detail: "The store's facts are being loaded. Try again shortly.",
      extra: { retry_after: 5 },
    });
  }
}
