#!/usr/bin/env bash
# Package: @hey-api/openapi-ts 0.99.0 (npm), its plugins for TypeScript and zod, with zod 4.6.7.
# Expected: {"enum": ["a", "b", null]} in OpenAPI 3.1, whose schemas are JSON Schema 2020-12, allows null: `enum` alone says
#   which values are allowed, and a schema needs no `type` (JSON Schema Validation, 6.1.2).
# Seen: null is lost. The generated type has no null, and the generated zod schema refuses it; with
#   "type": ["string", "null"] beside it, both have it.
# Exits with 1 once that has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module", "private": true }' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts @hey-api/openapi-ts@0.99.0 zod@4.6.7 typescript@5.9.3
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Any", "version": "1" },
  "paths": {},
  "components": {
    "schemas": {
      "Untyped": { "type": "object", "required": ["reason"], "properties": { "reason": { "enum": ["a", "b", null] } } },
      "Typed": {
        "type": "object",
        "required": ["reason"],
        "properties": { "reason": { "type": ["string", "null"], "enum": ["a", "b", null] } }
      }
    }
  }
}
JSON
cat > openapi-ts.config.mjs <<'JS'
export default { input: "openapi.json", output: "made", plugins: ["@hey-api/typescript", "zod"] };
JS
node node_modules/@hey-api/openapi-ts/bin/run.js > /dev/null
cat > try.js <<'JS'
import { readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";

const made = readFileSync("made/zod.gen.ts", "utf8");
writeFileSync("zod.js", ts.transpileModule(made, { compilerOptions: { module: "esnext", target: "es2022" } }).outputText);
const { zTyped, zUntyped } = await import("./zod.js");
const takes = (schema) => schema.safeParse({ reason: null }).success;
const types = readFileSync("made/types.gen.ts", "utf8");
const hasNull = (name) => /null/.test(types.split(`export type ${name} = `)[1].split("};")[0]);
const seen = [takes(zUntyped), hasNull("Untyped"), takes(zTyped), hasNull("Typed")];
console.log(`untyped: zod takes null ${seen[0]}, type has it ${seen[1]}; typed: ${seen[2]}, ${seen[3]}`);
const same = JSON.stringify(seen) === "[false,false,true,true]";
console.log(same ? "as seen before: null is lost without a type" : "changed: look at how null is described");
process.exit(same ? 0 : 1);
JS
node try.js
