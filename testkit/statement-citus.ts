import type { InsertStmt, Node, UpdateStmt } from "libpg-query";
import { as, names, visit } from "./sql-tree.ts";
import type { Findings } from "./statement-select.ts";

/**
 * Finds expressions in writes of one store that a distributed PostgreSQL (Citus) refuses, although a single PostgreSQL
 * accepts them. A node runs its part of the statement itself, so an expression must have the same value wherever it is
 * computed: a function that depends on settings, such as the time zone, may be called with parameters, since its result
 * is sent along, but not with columns.
 *
 * The parser does not know types, so a name counts as such a function if it is one for the types used here.
 */
const dependsOnSettings = new Set([
  ...["age", "date_bin", "date_part", "date_trunc", "extract", "isfinite", "make_timestamptz", "timezone", "to_char"],
  ...["to_date", "to_timestamp", "array_to_json", "array_to_string", "concat", "concat_ws", "format", "format_type"],
  ...["json_agg", "json_build_array", "json_build_object", "json_object_agg", "json_populate_record", "json_to_record"],
  ...[
    "jsonb_agg",
    "jsonb_build_array",
    "jsonb_build_object",
    "jsonb_object_agg",
    "jsonb_populate_record",
    "quote_nullable",
  ],
  ...[
    "jsonb_to_record",
    "jsonb_path_query_array_tz",
    "row_to_json",
    "to_json",
    "to_jsonb",
    "quote_literal",
    "set_config",
  ],
  ...["current_setting", "ts_headline", "to_tsvector", "to_tsquery", "websearch_to_tsquery"],
]);

/** The name of a node's own unsteady operation; undefined if its result is the same everywhere. */
function unsteady(node: Node): string | undefined {
  const name = names(as(node, "FuncCall")?.funcname).at(-1) ?? "";
  if (dependsOnSettings.has(name)) return `${name}()`;
  const expression = as(node, "A_Expr");
  if (expression?.kind !== "AEXPR_OP" || !["+", "-"].includes(names(expression.name).at(-1) ?? "")) return undefined;
  // a day of an interval is as long as the time zone's day
  return isInterval(expression.lexpr) || isInterval(expression.rexpr) ? "arithmetic with an interval" : undefined;
}

/** Looks for an interval anywhere in the expression: alone, multiplied, or as one of several alternatives. */
function isInterval(node: Node | undefined): boolean {
  let found = false;
  visit([node], (part, kind) => {
    if (names(as(part, "TypeCast")?.typeName?.names).at(-1) === "interval") found = true;
    return !found && !isQuery(kind);
  });
  return found;
}

const isQuery = (kind: string): boolean => kind === "SelectStmt";

function mentionsColumn(tree: unknown): boolean {
  let found = false;
  visit(tree, (_, kind) => {
    if (kind === "ColumnRef") found = true;
    return !found && !isQuery(kind);
  });
  return found;
}

/** All unsteady operations below, including those in subqueries. */
function unsteadyIn(tree: unknown): Set<string> {
  const found = new Set<string>();
  visit(tree, (node) => {
    const name = unsteady(node);
    if (name !== undefined) found.add(name);
    return true;
  });
  return found;
}

/** Unsteady operations with columns, and all those in CASE and COALESCE, which are sent to nodes unevaluated. */
function unsteadyOverColumns(tree: unknown): Set<string> {
  const found = new Set<string>();
  visit(tree, (node, kind) => {
    if (isQuery(kind)) return false;
    if (kind === "CaseExpr" || kind === "CoalesceExpr") {
      for (const name of unsteadyIn([node])) found.add(name);
      return false;
    }
    const name = unsteady(node);
    if (name !== undefined && mentionsColumn([node])) found.add(name);
    return true;
  });
  return found;
}

/** Checks SET, WHERE and RETURNING of an UPDATE or DELETE of a tenant table. */
export function checkSteadyUpdate(found: Findings, table: string, write: UpdateStmt): void {
  if (!found.tables.tenant.has(table)) return;
  for (const name of unsteadyOverColumns([write.targetList, write.whereClause])) {
    found.violations.add(`${table}: ${name} depends on settings, and over columns or in CASE a node would compute it`);
  }
  for (const name of unsteadyIn([write.returningClause])) {
    found.violations.add(`${table}: ${name} depends on settings; RETURNING the column alone, compute it afterwards`);
  }
}

/** ON CONFLICT may contain no unsteady operation at all, and VALUES no subquery. */
export function checkSteadyInsert(found: Findings, table: string, insert: InsertStmt): void {
  if (!found.tables.tenant.has(table)) return;
  visit(as(insert.selectStmt, "SelectStmt")?.valuesLists, (_, kind) => {
    if (kind === "SubLink") found.violations.add(`${table}: a subquery in VALUES; write INSERT ... SELECT`);
    return true;
  });
  const clause = insert.onConflictClause;
  if (!clause) return;
  for (const name of unsteadyIn([clause.targetList, clause.whereClause, clause.infer])) {
    found.violations.add(`${table}: ${name} depends on settings, which ON CONFLICT must not; give its outcome`);
  }
}
