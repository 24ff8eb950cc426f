/** What other slices may use of the columnar copy (schema.ts says what is in it). */

export { ColumnarCopies, type ColumnarCopiesDeps } from "./columnar-copies.ts";
export { CopyLoading, type CopyQuery, type CopyReader } from "./reader.ts";
export { discardCopies, recordedCopies } from "./records.ts";
