import { SpanKind } from "@opentelemetry/api";
import type { SpanDefinition } from "./spans.ts";

/** The program has a few hundred statements of its own; assembled ones may be more. */
const remembered = 1_000;
const longestText = 2_000;

const comments = /\/\*[\s\S]*?\*\//g;
const operation = /^\s*(\w+)/;
const table = /\b(?:from|into|update|join)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)"?/i;

const known = new Map<string, SpanDefinition>();

/** The span of a statement, by OpenTelemetry's conventions for databases: its text with `$1`, never its parameters. */
export function statementSpan(sql: string): SpanDefinition {
  const found = known.get(sql);
  if (found) return found;
  const bare = sql.replace(comments, " ");
  const verb = operation.exec(bare)?.[1]?.toUpperCase() ?? "SQL";
  const target = table.exec(bare)?.[1];
  const made: SpanDefinition = {
    name: target === undefined ? verb : `${verb} ${target}`,
    kind: SpanKind.CLIENT,
    attributes: {
      "db.system.name": "postgresql",
      "db.operation.name": verb,
      ...(target === undefined ? {} : { "db.collection.name": target }),
      "db.query.text": sql.trim().slice(0, longestText),
    },
  };
  if (known.size < remembered) known.set(sql, made);
  return made;
}
