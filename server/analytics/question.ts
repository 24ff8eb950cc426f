import type { Static } from "typebox";
import type { FiguresOf } from "../../contract/analytics-shapes.ts";
import type { Operation } from "../../contract/operation.ts";
import type { CopyQuery } from "../columnar-copy/reader.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import type { Selection } from "./selection.ts";

export type BodyOf<Op extends Operation> = Static<Op["answer"]["shape"]>;

/** A question that is ready to be answered. */
export interface Question<Op extends Operation> {
  operation: Op;
  selection: Selection;
  /** the question's own parameters, with defaults filled in */
  own: unknown;
  compute: (query: CopyQuery, db: StoreRunner) => Promise<FiguresOf<BodyOf<Op>>>;
  /** the same without data, for a store that is still being loaded */
  zero: () => FiguresOf<BodyOf<Op>>;
}
