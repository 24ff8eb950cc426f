import type { Deadline } from "../platform/deadline.ts";

/** What other slices may ask of the columnar copy. */

export interface FactsQuestion {
  /** DuckDB's SQL over the tables of schema.ts, unqualified; parameters as $1, $2, ... */
  sql: string;
  parameters: readonly FactsParameter[];
}

export type FactsParameter = string | number | bigint | boolean | null;

/** Puts a statement; BIGINT comes as a number. */
export type FactsQuery = <Row>(question: FactsQuestion) => Promise<Row[]>;

export interface FactsAnswer<Result> {
  result: Result;
  /** the store's revision that the answer reflects */
  revision: number;
  /** calendar's ms at which the copy was known to be current */
  asOf: number;
}

export interface FactsReader {
  /** One statement over the copy, brought up to date first. */
  ask<Row>(
    storeId: string,
    deadline: Deadline,
    question: FactsQuestion,
  ): Promise<{ rows: Row[]; revision: number; asOf: number }>;
  /** Several statements over one state of the copy: numbers looked up by the first are valid in the next. */
  read<Result>(
    storeId: string,
    deadline: Deadline,
    work: (query: FactsQuery) => Promise<Result>,
  ): Promise<FactsAnswer<Result>>;
}
