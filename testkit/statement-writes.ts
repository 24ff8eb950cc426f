import type {
  DeleteStmt,
  InsertStmt,
  MergeStmt,
  MergeWhenClause,
  Node,
  RangeVar,
  SelectStmt,
  UpdateStmt,
} from "libpg-query";
import { as, kindOf, parameter, tableName } from "./sql-tree.ts";
import { checkSteadyInsert, checkSteadyUpdate } from "./statement-citus.ts";
import type { Columns, Level } from "./statement-scope.ts";
import { addCondition, newLevel, noColumns, pin, storeOf } from "./statement-scope.ts";
import type { Ctes, Findings } from "./statement-select.ts";
import { addFromItem, addTable, columnsOf, judgeLevel, withCtes } from "./statement-select.ts";

/** Analyses INSERT, UPDATE, DELETE or MERGE, alone or in WITH. Returns the columns of RETURNING. */
export function analyseWrite(found: Findings, node: Node, ctes: Ctes): Columns {
  const insert = as(node, "InsertStmt");
  if (insert) return analyseInsert(found, insert, ctes);
  const update = as(node, "UpdateStmt");
  if (update) return analyseUpdate(found, update, ctes);
  const remove = as(node, "DeleteStmt");
  if (remove) return analyseUpdate(found, remove, ctes);
  const merge = as(node, "MergeStmt");
  if (merge) return analyseMerge(found, merge, ctes);
  found.violations.add(`${kindOf(node)}: not a query`);
  return noColumns;
}

const targetNames = (list: readonly Node[] | undefined): string[] =>
  (list ?? []).map((node) => as(node, "ResTarget")?.name ?? "");

/** The target of a write is a table, never a CTE of that name. */
function addTarget(found: Findings, level: Level, relation: RangeVar | undefined): string {
  return relation ? addTable(found, { ...level, ctes: new Map() }, relation) : "";
}

function refuseMove(found: Findings, table: string, targets: readonly Node[] | undefined): void {
  if (found.tables.tenant.has(table) && targetNames(targets).includes("store_id")) {
    found.violations.add(`${table}: a write must not set store_id, rows never change their store`);
  }
}

function analyseUpdate(found: Findings, write: UpdateStmt & DeleteStmt, outer: Ctes): Columns {
  const ctes = withCtes(found, write.withClause, outer);
  const level = newLevel(ctes);
  addTarget(found, level, write.relation);
  const others = [...(write.fromClause ?? []), ...(write.usingClause ?? [])];
  for (const item of others) addFromItem(found, level, item);
  addCondition(level, write.whereClause, () => true);
  refuseMove(found, tableName(write.relation), write.targetList);
  checkSteadyUpdate(found, tableName(write.relation), write);
  judgeLevel(found, level, [others, write.targetList, write.whereClause, write.returningClause]);
  return columnsOf(level, write.returningClause?.exprs);
}

function analyseInsert(found: Findings, insert: InsertStmt, outer: Ctes): Columns {
  const ctes = withCtes(found, insert.withClause, outer);
  const level = newLevel(ctes);
  const table = tableName(insert.relation);
  const alias = addTarget(found, level, insert.relation);
  const source = found.query(found, insert.selectStmt, ctes);
  const conflict = insert.onConflictClause;
  if (found.tables.tenant.has(table)) {
    for (const store of insertedStores(found, table, insert, source)) pin(level, alias, "store_id", store);
    refuseConflict(found, table, insert);
    checkSteadyInsert(found, table, insert);
    refuseMove(found, table, conflict?.targetList);
    // The violation of the inserted store has been reported already; the rest need not repeat it.
    if (level.pins.size === 0) level.relations.delete(alias);
  }
  judgeLevel(found, level, [conflict?.targetList, conflict?.whereClause, insert.returningClause]);
  return columnsOf(level, insert.returningClause?.exprs);
}

/** The parameters that an INSERT uses as store_id of its rows. */
function insertedStores(found: Findings, table: string, insert: InsertStmt, source: Columns): number[] {
  const position = targetNames(insert.cols).indexOf("store_id");
  if (position < 0) {
    found.violations.add(`${table}: INSERT does not list store_id among its columns`);
    return [];
  }
  const select: SelectStmt | undefined = as(insert.selectStmt, "SelectStmt");
  const rows = select?.valuesLists?.map((row) => parameter(as(row, "List")?.items?.[position]));
  const stores = rows ?? [source.open ? undefined : source.list[position]?.store];
  const known = stores.flatMap((store) => store ?? []);
  if (known.length < stores.length) {
    found.violations.add(
      rows
        ? `${table}: INSERT gives a row a store_id that is not a parameter`
        : `${table}: INSERT ... SELECT gives a store_id that is not bound to one parameter`,
    );
  }
  return known;
}

function refuseConflict(found: Findings, table: string, insert: InsertStmt): void {
  const clause = insert.onConflictClause;
  if (!clause) return;
  const target = clause.infer;
  if (!target) {
    if (clause.action !== "ONCONFLICT_NOTHING") {
      found.violations.add(`${table}: ON CONFLICT DO UPDATE without columns, which must begin with store_id`);
    }
  } else if (target.conname !== undefined) {
    found.violations.add(
      `${table}: ON CONFLICT names the constraint ${target.conname}; name its columns, store_id first`,
    );
  } else if (as(target.indexElems?.[0], "IndexElem")?.name !== "store_id") {
    found.violations.add(`${table}: ON CONFLICT columns must begin with store_id`);
  }
}

function analyseMerge(found: Findings, merge: MergeStmt, outer: Ctes): Columns {
  const ctes = withCtes(found, merge.withClause, outer);
  const level = newLevel(ctes);
  const table = tableName(merge.relation);
  const alias = addTarget(found, level, merge.relation);
  if (merge.sourceRelation) addFromItem(found, level, merge.sourceRelation);
  // The source's rows are kept whether or not they match, like the left side of a LEFT JOIN.
  addCondition(level, merge.joinCondition, (bound) => bound === alias);
  judgeLevel(found, level, [merge.sourceRelation, merge.joinCondition, merge.mergeWhenClauses, merge.returningClause]);
  if (found.tables.tenant.has(table)) {
    for (const node of merge.mergeWhenClauses ?? []) {
      const clause = as(node, "MergeWhenClause");
      if (clause) refuseWhen(found, level, table, clause);
    }
  }
  return columnsOf(level, merge.returningClause?.exprs);
}

function refuseWhen(found: Findings, level: Level, table: string, clause: MergeWhenClause): void {
  if (clause.matchKind === "MERGE_WHEN_NOT_MATCHED_BY_SOURCE") {
    found.violations.add(`${table}: WHEN NOT MATCHED BY SOURCE reaches the rows of every store`);
  }
  if (clause.commandType === "CMD_UPDATE") refuseMove(found, table, clause.targetList);
  if (clause.commandType !== "CMD_INSERT") return;
  const position = targetNames(clause.targetList).indexOf("store_id");
  const store = position < 0 ? undefined : storeOf(level, clause.values?.[position]);
  if (position < 0) {
    found.violations.add(`${table}: MERGE's INSERT does not list store_id among its columns`);
  } else if (store === undefined) {
    found.violations.add(`${table}: MERGE inserts a store_id that is not bound to one parameter`);
  } else {
    found.stores.add(store);
  }
}
