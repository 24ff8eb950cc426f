import type { Node, SelectStmt } from "libpg-query";
import { loadModule } from "libpg-query";
import type { Statement } from "./sql-tree.ts";
import { as, kindOf, parameter, statementsOf, tableName, visit } from "./sql-tree.ts";
import { untypedArguments } from "./statement-arguments.ts";
import { callsNotify, impureCalls } from "./statement-clock.ts";
import { misplaced } from "./statement-placement.ts";
import type { Columns } from "./statement-scope.ts";
import { noColumns } from "./statement-scope.ts";
import type { Ctes, Findings, TableRules } from "./statement-select.ts";
import { analyseSelect } from "./statement-select.ts";
import { analyseWrite } from "./statement-writes.ts";

/**
 * The rules that every statement obeys, so that one PostgreSQL can later become many (docs/rules/database.md). They are
 * checked on the parse tree of PostgreSQL's own parser: every statement of a test run passes through here, and the
 * first subquery would fool text patterns.
 *
 * A comment in a statement claims an exception: see `markers`.
 */

export type StatementRules = (sql: string, tables: TableRules) => string[];

const markers = {
  /** A read of due work across stores: one table, a LIMIT, no lock. */
  due: "/* due: across stores */",
  /** The calendar clock's own statements, which may read the database's clock. */
  clock: "/* clock */",
  /** The wake-up sent after a commit. */
  wakeUp: "/* wake-up */",
  /** A migration, checked by the rules of migrations instead. */
  migration: "/* migration */",
};

const dueLimit = 100;

/** Statements about the connection, the session or a transaction; they use no table. */
const harmless = new Set([
  "TransactionStmt",
  "VariableSetStmt",
  "VariableShowStmt",
  "ListenStmt",
  "UnlistenStmt",
  "DiscardStmt",
  "FetchStmt",
  "ClosePortalStmt",
  "DeallocateStmt",
  "ExecuteStmt",
  "VacuumStmt",
  "CheckPointStmt",
  "ConstraintsSetStmt",
]);

const queries = new Set(["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"]);

/** The query inside EXPLAIN, PREPARE, DECLARE or COPY. */
function inner(node: Node): Node | undefined {
  const prepared = as(node, "PrepareStmt") ?? as(node, "DeclareCursorStmt") ?? as(node, "ExplainStmt");
  return prepared?.query ?? as(node, "CopyStmt")?.query;
}

function analyseQuery(found: Findings, node: Node | undefined, ctes: Ctes): Columns {
  const select = as(node, "SelectStmt");
  if (select) return analyseSelect(found, select, ctes);
  return node ? analyseWrite(found, node, ctes) : noColumns;
}

function checkQuery(found: Findings, node: Node): void {
  analyseQuery(found, node, new Map());
  if (found.stores.size > 1) {
    const given = [...found.stores].sort((a, b) => a - b).map((store) => `$${store}`);
    found.violations.add(`the statement names its store by more than one parameter: ${given.join(", ")}`);
  }
  let select = as(node, "SelectStmt");
  while (select?.larg) select = select.larg;
  if (select?.intoClause) found.violations.add("SELECT INTO creates a table");
}

function limitOfDue({ limitCount, limitOption }: SelectStmt): string | undefined {
  const constant = as(limitCount, "A_Const");
  const rows = constant?.ival ? (constant.ival.ival ?? 0) : undefined;
  const bounded = parameter(limitCount) !== undefined || (rows !== undefined && rows <= dueLimit);
  if (bounded && limitOption === "LIMIT_OPTION_COUNT") return undefined;
  return `a read across stores needs a LIMIT of at most ${dueLimit} or a parameter`;
}

/** The only read without a store: which (store, id) pairs are due [database.due-work]. */
function checkDue(found: Findings, node: Node): void {
  const select = as(node, "SelectStmt");
  if (!select) {
    found.violations.add(`${markers.due} marks a SELECT alone, not a ${kindOf(node)}`);
    return;
  }
  let subqueries = select.larg || select.withClause ? 1 : 0;
  visit(select, (_, kind) => {
    if (kind === "SelectStmt") subqueries++;
    return true;
  });
  const [table] = select.fromClause ?? [];
  const range = as(table, "RangeVar");
  if (subqueries > 0 || select.fromClause?.length !== 1 || !range) {
    found.violations.add("a read across stores reads exactly one table, without joins, subqueries, WITH or UNION");
  } else if (!found.tables.tenant.has(tableName(range)) && !found.tables.reference.has(tableName(range))) {
    found.violations.add(`${tableName(range)}: neither a tenant table nor a reference table`);
  }
  if (select.lockingClause) found.violations.add("a read across stores must not lock: claim per store");
  if (select.intoClause) found.violations.add("SELECT INTO creates a table");
  const limit = limitOfDue(select);
  if (limit !== undefined) found.violations.add(limit);
}

/** COPY of a whole table, and LOCK, cannot name a store. */
function checkWholeTable(found: Findings, node: Node): boolean {
  const copy = as(node, "CopyStmt");
  if (copy?.relation) {
    const table = tableName(copy.relation);
    if (copy.is_from && found.tables.tenant.has(table)) {
      found.violations.add(
        `${table}: COPY FROM cannot name one store; use INSERT ... SELECT $n, ... FROM unnest or json`,
      );
    } else if (found.tables.tenant.has(table)) {
      found.violations.add(`${table}: COPY TO reads every store; copy a query with store_id = $n`);
    } else if (!found.tables.reference.has(table)) {
      found.violations.add(`${table}: neither a tenant table nor a reference table`);
    }
    return true;
  }
  const lock = as(node, "LockStmt");
  for (const relation of lock?.relations ?? []) {
    const table = tableName(as(relation, "RangeVar"));
    if (!found.tables.reference.has(table)) found.violations.add(`${table}: LOCK TABLE locks every store`);
  }
  return lock !== undefined;
}

function checkStatement({ node, comments }: Statement, tables: TableRules): Set<string> {
  const found: Findings = { tables, query: analyseQuery, violations: new Set(), stores: new Set() };
  const marked = (marker: string): boolean => comments.includes(marker);
  const kind = kindOf(node);
  if (marked(markers.migration)) return found.violations;
  if (!marked(markers.clock)) {
    for (const call of impureCalls(node)) {
      found.violations.add(`${call}: time and chance are parameters, or the clock's statement says ${markers.clock}`);
    }
  }
  if (!marked(markers.wakeUp) && (kind === "NotifyStmt" || callsNotify(node))) {
    found.violations.add(`NOTIFY serialises commits; only the wake-up after a commit says ${markers.wakeUp}`);
  }
  for (const call of untypedArguments(node)) {
    found.violations.add(`${call}: cast the parameter, since an extension may have a function of that name for others`);
  }
  const query = inner(node) ?? node;
  for (const violation of misplaced(query, tables)) found.violations.add(violation);
  if (marked(markers.due)) checkDue(found, query);
  else if (queries.has(kindOf(query))) checkQuery(found, query);
  else if (kind === "DoStmt" || kind === "CallStmt")
    found.violations.add(`${kind}: hides its statements from this check`);
  else if (!checkWholeTable(found, node) && kind !== "NotifyStmt" && !harmless.has(kind)) {
    found.violations.add(`${kind}: changes the schema or the server, for which a migration says ${markers.migration}`);
  }
  return found.violations;
}

function checkText(sql: string, tables: TableRules): string[] {
  let statements: Statement[];
  try {
    statements = statementsOf(sql);
  } catch (error) {
    return [`does not parse: ${error instanceof Error ? error.message : String(error)}`];
  }
  const begins = statements.some(({ node }) => as(node, "TransactionStmt")?.kind === "TRANS_STMT_BEGIN");
  const together =
    begins && statements.length > 1 ? ["BEGIN is a message of its own: a cluster warns of the others"] : [];
  return [...new Set([...together, ...statements.flatMap((statement) => [...checkStatement(statement, tables)])])];
}

/** Texts are built from a few shapes; this limit is for runs that generate them. */
const remembered = 20_000;

/**
 * Loads PostgreSQL's parser; the returned function lists the violations in a text of one or more statements (empty:
 * none). Results are cached by text and `tables` object. A new statement takes about half a millisecond.
 */
export async function loadStatementRules(): Promise<StatementRules> {
  await loadModule();
  const memory = new WeakMap<TableRules, Map<string, string[]>>();
  return (sql, tables) => {
    let answers = memory.get(tables);
    if (!answers || answers.size >= remembered) {
      answers = new Map();
      memory.set(tables, answers);
    }
    let violations = answers.get(sql);
    if (!violations) {
      violations = checkText(sql, tables);
      answers.set(sql, violations);
    }
    return violations;
  };
}
