#!/usr/bin/env bash
# @duckdb/node-api 1.5.5-r.5, on texts that begin with U+FEFF, as files of other programs and pasted texts do.
#
# Expected: a VARCHAR comes back character by character: SQL says that the text is two characters long, and hex() shows
# the three bytes EF BB BF before the letter. Inside a value the character has no meaning as a byte-order mark
# (Unicode 23.8: only at the beginning of a stream).
# Seen: the driver's values lack the character, wherever they come from, although the database has it. What is read,
# compared with what was written, or written back, is another text; a name that differs by it only is found twice.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @duckdb/node-api@1.5.5-r.5
cat > read.mjs <<'JS'
import { DuckDBInstance } from "@duckdb/node-api";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const prepared = await connection.prepare("SELECT $1 AS text, length($1) AS characters, hex(encode($1)) AS bytes");
prepared.bindVarchar(1, "\ufeffa");
const [row] = (await prepared.runAndReadAll()).getRowObjects();
const { text, characters, bytes } = row;
console.log(`written: 2 characters, read: ${text.length}; in the database: ${characters}, ${bytes}`);
process.exit(text === "a" && characters === 2n && bytes === "EFBBBF61" ? 0 : 1);
JS
node read.mjs
