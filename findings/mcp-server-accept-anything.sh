#!/usr/bin/env bash
# Package: @modelcontextprotocol/server 2.4.0 (npm), its HTTP handler for the protocol before 2026-07-28.
# Expected: a request with `Accept: */*`, which most HTTP clients send by default, is answered like one that names
#   application/json and text/event-stream: RFC 9110, 12.5.1, says that `*/*` matches every type.
# Seen: 406. The handler looks for both names in the header's text, so ranges are never matched.
# Exits with 1 once that has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module", "private": true }' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/server@2.4.0
cat > try.js <<'JS'
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

const handler = createMcpHandler(() => new McpServer({ name: "any", version: "1" }, { capabilities: { tools: {} } }));
const ask = async (accept) => {
  const headers = { "content-type": "application/json", accept };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  return (await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }))).status;
};
const seen = {};
for (const accept of ["application/json, text/event-stream", "*/*", "application/*, text/*"])
  seen[accept] = await ask(accept);
console.log(JSON.stringify(seen));
const same = JSON.stringify(Object.values(seen)) === "[200,406,406]";
console.log(same ? "as seen before: ranges are refused with 406" : "changed: look at how requests are passed on");
process.exit(same ? 0 : 1);
JS
node try.js
