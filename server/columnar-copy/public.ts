/** The part of the columnar copy that other slices may use (for its content see schema.ts). */

export { ColumnarCopies, type ColumnarCopiesDeps } from "./columnar-copies.ts";
export { CopyLoading, type CopyQuery, type CopyReader } from "./reader.ts";
export { discardCopies, type RecordedCopy, recordedCopies } from "./records.ts";
