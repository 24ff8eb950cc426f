#!/usr/bin/env bash
# @dsnp/parquetjs 1.8.8 reads the booleans that hyparquet-writer 0.17.0 writes, a hundred of them, some null, encoded as
# RLE, the encoding that the Parquet format names for booleans of data pages of version 2 (Encodings.md, "Run Length
# Encoding", with the length of the data before it).
#
# Expected: the hundred values that were written. DuckDB 1.5.5 and hyparquet 1.31.5 read them.
# Seen: parquetjs reads no error and the nulls at their places, but wrong values: all false at the beginning of the column.
# Written as PLAIN, the same booleans are read by all three.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund hyparquet-writer@0.17.0 hyparquet@1.31.5 @dsnp/parquetjs@1.8.8 @duckdb/node-api@1.5.5-r.5
cat > read.mjs <<'JS'
import { writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import parquetjs from "@dsnp/parquetjs";
import { parquetReadObjects } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";

const values = Array.from({ length: 100 }, (_, at) => [true, false, null, true, true][(at * 7 + (at >> 3)) % 5]);
const connection = await (await DuckDBInstance.create(":memory:")).connect();

async function readers(encoding) {
  const file = parquetWriteBuffer({ columnData: [{ name: "b", data: values, type: "BOOLEAN", encoding }] });
  writeFileSync("b.parquet", new Uint8Array(file));
  const reader = await parquetjs.ParquetReader.openFile("b.parquet");
  const cursor = reader.getCursor();
  const byParquetjs = [];
  for (let row = await cursor.next(); row; row = await cursor.next()) byParquetjs.push(row.b ?? null);
  await reader.close();
  const byDuckdb = (await connection.runAndReadAll("SELECT b FROM 'b.parquet'")).getRowObjects().map(({ b }) => b);
  const byHyparquet = (await parquetReadObjects({ file })).map(({ b }) => b);
  const isSame = (read) => JSON.stringify(read) === JSON.stringify(values);
  console.log(`${encoding}: parquetjs ${isSame(byParquetjs)}, DuckDB ${isSame(byDuckdb)}, hyparquet ${isSame(byHyparquet)}`);
  console.log(`  parquetjs begins with ${byParquetjs.slice(0, 8).join()}, written were ${values.slice(0, 8).join()}`);
  return [byParquetjs, byDuckdb, byHyparquet].map(isSame).join();
}

const [rle, plain] = [await readers("RLE"), await readers("PLAIN")];
process.exit(rle === "false,true,true" && plain === "true,true,true" ? 0 : 1);
JS
node read.mjs
