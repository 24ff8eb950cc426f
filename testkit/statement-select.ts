import type { CommonTableExpr, JoinExpr, Node, RangeVar, SelectStmt, WithClause } from "libpg-query";
import { as, names, tableName, visit, writtenBy } from "./sql-tree.ts";
import type { Bindable, Column, Columns, Level, Relation } from "./statement-scope.ts";
import {
  addCondition,
  addMergedStore,
  carry,
  newLevel,
  noColumns,
  renamed,
  storeOf,
  storesBoundHere,
  storesOf,
} from "./statement-scope.ts";

/** Which tables have a store_id, and which are small, replicated and looked up without one. */
export interface TableRules {
  /** Tenant tables; every one has store_id. */
  tenant: ReadonlySet<string>;
  /** Small tables, looked up without a store. */
  reference: ReadonlySet<string>;
  /** Those of them that every node of a cluster has; the others are on its coordinator. */
  onEveryNode: ReadonlySet<string>;
}

/** The results collected while analysing one statement. */
export interface Findings {
  tables: TableRules;
  /** Analyses a SELECT or a write inside the statement; returns its columns. */
  query: (found: Findings, node: Node | undefined, ctes: Ctes) => Columns;
  violations: Set<string>;
  /** Every parameter that names a store. */
  stores: Set<number>;
}

export type Ctes = ReadonlyMap<string, Columns>;

const all: Bindable = () => true;

/** Analyses the CTEs of a WITH clause, and adds them to those in scope. */
export function withCtes(found: Findings, clause: WithClause | undefined, ctes: Ctes): Ctes {
  if (!clause) return ctes;
  const sight = new Map(ctes);
  for (const node of clause.ctes ?? []) {
    const cte = as(node, "CommonTableExpr");
    if (!cte) continue;
    const name = cte.ctename ?? "";
    refuseWriting(found, cte.ctequery);
    if (clause.recursive) sight.set(name, recursiveColumns(found, cte, sight));
    sight.set(name, renamed(found.query(found, cte.ctequery, sight), names(cte.aliascolnames)));
  }
  return sight;
}

/** A node of a cluster sends the rows of such a part to every other node, and fails where one is away [database.one-node]. */
function refuseWriting(found: Findings, part: Node | undefined): void {
  const table = tableName(part && writtenBy(part));
  if (found.tables.tenant.has(table)) {
    found.violations.add(`${table}: a write in WITH takes all nodes of a cluster; make it a statement of its own`);
  }
}

/** The columns of a recursive CTE in every step: a column keeps its store only if the recursive branch keeps it too. */
function recursiveColumns(found: Findings, cte: CommonTableExpr, sight: Ctes): Columns {
  const select = as(cte.ctequery, "SelectStmt");
  if (!select?.larg) return noColumns;
  const aliases = names(cte.aliascolnames);
  const silent: Findings = { ...found, violations: new Set(), stores: new Set() };
  let columns = renamed(analyseSelect(silent, select.larg, sight), aliases);
  for (;;) {
    const step = new Map(sight).set(cte.ctename ?? "", columns);
    const next = renamed(analyseSelect(silent, select, step), aliases);
    const kept = (list: readonly Column[]): number => list.filter(({ store }) => store !== undefined).length;
    if (next.open || kept(next.list) >= kept(columns.list)) return next;
    columns = next;
  }
}

/** Analyses a SELECT, its branches and everything inside it. */
export function analyseSelect(found: Findings, select: SelectStmt, outer: Ctes): Columns {
  const ctes = withCtes(found, select.withClause, outer);
  if (select.larg && select.rarg) {
    const left = analyseSelect(found, select.larg, ctes);
    const right = analyseSelect(found, select.rarg, ctes);
    analyseSublinks(found, newLevel(ctes), [select.sortClause, select.limitCount, select.limitOffset]);
    return merged(left, right);
  }
  const level = newLevel(ctes);
  for (const item of select.fromClause ?? []) addFromItem(found, level, item);
  addCondition(level, select.whereClause, all);
  judgeLevel(found, level, [
    select.fromClause,
    select.targetList,
    select.whereClause,
    select.valuesLists,
    select.groupClause,
    select.havingClause,
    select.windowClause,
    select.distinctClause,
    select.sortClause,
    select.limitCount,
    select.limitOffset,
  ]);
  const [row] = select.valuesLists ?? [];
  if (row) {
    const list = (as(row, "List")?.items ?? []).map((_, i) => ({ name: `column${i + 1}`, store: undefined }));
    return { list, open: false };
  }
  return columnsOf(level, select.targetList);
}

/** A UNION's column equals a parameter if it does so in both branches. */
function merged(left: Columns, right: Columns): Columns {
  if (left.open || right.open) return noColumns;
  const list = left.list.map(({ name, store }, i) => ({
    name,
    store: store === right.list[i]?.store ? store : undefined,
  }));
  return { list, open: false };
}

/** The columns of a target list or of RETURNING. */
export function columnsOf(level: Level, targets: readonly Node[] | undefined): Columns {
  let open = false;
  const list = (targets ?? []).flatMap((node): Column[] => {
    const target = as(node, "ResTarget");
    const fields = as(target?.val, "ColumnRef")?.fields ?? [];
    const path = names(fields);
    if (path.length === fields.length) {
      return [{ name: target?.name ?? path.at(-1) ?? "", store: storeOf(level, target?.val) }];
    }
    const starred = [...level.relations.values()].filter(({ alias }) => path.length === 0 || alias === path.at(-1));
    if (starred.length === 0 || starred.some(({ kind, columns }) => kind !== "rows" || columns.open)) open = true;
    return starred.flatMap((relation) => starColumns(level, relation));
  });
  return { list, open };
}

function starColumns(level: Level, { alias, kind, columns }: Relation): Column[] {
  const list = kind === "tenant" ? [{ name: "store_id" }] : columns.list;
  return list.map(({ name }) => ({ name, store: [...storesOf(level, alias, name)][0] }));
}

/** Adds a table to a level; returns its alias. */
export function addTable(found: Findings, level: Level, range: RangeVar): string {
  const table = tableName(range);
  const alias = range.alias?.aliasname ?? range.relname ?? "";
  const cte = range.schemaname === undefined ? level.ctes.get(table) : undefined;
  if (cte) {
    addRows(level, alias, renamed(cte, names(range.alias?.colnames)));
    return alias;
  }
  const kind = found.tables.tenant.has(table) ? "tenant" : "reference";
  if (kind === "tenant" && range.alias?.colnames) {
    found.violations.add(`${table} ${alias}: a tenant table's columns must keep their names`);
  }
  if (kind === "reference" && !found.tables.reference.has(table) && !/^(pg_|information_schema\.)/.test(table)) {
    found.violations.add(`${table}: neither a tenant table nor a reference table`);
  }
  level.relations.set(alias, { alias, table, kind, columns: noColumns });
  return alias;
}

function addRows(level: Level, alias: string, columns: Columns): void {
  level.relations.set(alias, { alias, table: alias, kind: "rows", columns });
  for (const { name, store } of columns.list) if (store !== undefined) carry(level, alias, name, store);
}

/** Adds one item of FROM to the scope; returns its aliases. */
export function addFromItem(found: Findings, level: Level, item: Node): readonly string[] {
  const table = as(item, "RangeVar");
  if (table) return [addTable(found, level, table)];
  const join = as(item, "JoinExpr");
  if (join) return addJoin(found, level, join);
  const sample = as(item, "RangeTableSample");
  if (sample?.relation) return addFromItem(found, level, sample.relation);
  const subselect = as(item, "RangeSubselect");
  // PostgreSQL 16 allows a subquery without an alias; nothing can refer to it then.
  const unnamed = `?${level.relations.size}`;
  if (subselect) {
    const alias = subselect.alias?.aliasname ?? unnamed;
    const columns = found.query(found, subselect.subquery, level.ctes);
    addRows(level, alias, renamed(columns, names(subselect.alias?.colnames)));
    return [alias];
  }
  return [addFunction(level, item, unnamed)];
}

/** A set-returning function: its rows have no store unless a condition binds them. */
function addFunction(level: Level, item: Node, unnamed: string): string {
  const call = as(item, "RangeFunction");
  const given = (call ?? as(item, "RangeTableFunc") ?? as(item, "JsonTable"))?.alias;
  const called = as(as(call?.functions?.[0], "List")?.items?.[0], "FuncCall");
  const alias = given?.aliasname ?? names(called?.funcname).at(-1) ?? unnamed;
  const typed = (call?.coldeflist ?? []).flatMap((node) => as(node, "ColumnDef")?.colname ?? []);
  const known = [...names(given?.colnames), ...typed];
  const columns = { list: known.map((name) => ({ name, store: undefined })), open: known.length === 0 };
  addRows(level, alias, columns);
  return alias;
}

function addJoin(found: Findings, level: Level, join: JoinExpr): readonly string[] {
  const [left = [], right = []] = [join.larg, join.rarg].map((side) => (side ? addFromItem(found, level, side) : []));
  const type = join.jointype ?? "JOIN_INNER";
  const filled = { JOIN_LEFT: right, JOIN_RIGHT: left, JOIN_FULL: [] as readonly string[] };
  const bindable = type in filled ? filled[type as keyof typeof filled] : undefined;
  addCondition(level, join.quals, bindable ? (alias) => bindable.includes(alias) : all);
  if (names(join.usingClause).includes("store_id")) addMergedStore(level, left, right, type);
  return [...left, ...right];
}

/**
 * To be called when a level's conditions are known: analyses the subqueries in its expressions, and checks its tables.
 */
export function judgeLevel(found: Findings, level: Level, expressions: readonly unknown[]): void {
  analyseSublinks(found, level, expressions);
  for (const { alias, table, kind } of level.relations.values()) {
    if (kind !== "tenant") continue;
    const stores = storesBoundHere(level, alias, "store_id");
    if (stores.size === 0) {
      const called = alias === table ? table : `${table} ${alias}`;
      found.violations.add(`${called}: no condition ${alias}.store_id = $n in its own query binds it to one store`);
    }
    for (const store of stores) found.stores.add(store);
  }
}

function analyseSublinks(found: Findings, level: Level, expressions: readonly unknown[]): void {
  visit(expressions, (node, kind) => {
    if (kind === "SelectStmt") found.query(found, node, level.ctes);
    // Subqueries of FROM are analysed as relations.
    return kind !== "SelectStmt" && kind !== "RangeSubselect";
  });
}
