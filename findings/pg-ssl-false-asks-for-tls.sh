#!/usr/bin/env bash
# node-postgres (npm: pg 8.23.1, with the pg-connection-string that it depends on): ssl=false in a connection string.
#
# Expected: the client asks for no encryption, as with ssl=0 and sslmode=disable, and as ssl=true asks for it.
# Seen: its first message is an SSLRequest. The text "false" is kept as a text, which counts as true, so that a server
# without TLS is refused ("The server does not support SSL connections") by the address that was to do without.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund pg@8.23.1
cat > ask.mjs <<'JS'
import { createServer } from "node:net";
import pg from "pg";
const codes = new Map([[80877103, "SSLRequest"], [196608, "startup"]]);
const asked = (query) =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (first) => {
        resolve(codes.get(first.readInt32BE(4)));
        socket.destroy();
        server.close();
      });
    }).listen(0, "127.0.0.1", () => {
      const client = new pg.Client(`postgres://u@127.0.0.1:${server.address().port}/d?${query}`);
      client.on("error", () => undefined);
      client.connect().catch(() => undefined);
    });
  });
const seen = {};
for (const query of ["ssl=false", "ssl=0", "ssl=true", "sslmode=disable"]) seen[query] = await asked(query);
console.log("pg 8.23.1", JSON.stringify(seen));
const expected = { "ssl=false": "SSLRequest", "ssl=0": "startup", "ssl=true": "SSLRequest", "sslmode=disable": "startup" };
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1);
JS
node ask.mjs
