import { parentPort } from "node:worker_threads";
import type { Asked } from "./parquet.ts";
import { ParquetRows, usualGroup } from "./parquet-rows.ts";

/** The thread of parquet.ts: encodes the rows of one file, and answers each message with the bytes that are ready. */

let file: ParquetRows | null = null;

function answer(asked: Asked): Uint8Array {
  if ("columns" in asked) file = new ParquetRows(asked.columns, usualGroup);
  if (file === null) throw new Error("rows were added before a table was begun");
  return "end" in asked ? file.end() : file.add("rows" in asked ? asked.rows : []);
}

parentPort?.on("message", (asked: Asked) => {
  const bytes = answer(asked);
  parentPort?.postMessage(bytes, [bytes.buffer as ArrayBuffer]);
});
