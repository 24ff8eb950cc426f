import type { AlterTableCmd, Node } from "libpg-query";
import { loadModule } from "libpg-query";
import type { Migration } from "../server/platform/database/migrate.ts";
import { as, kindOf, statementsOf, tableName } from "./sql-tree.ts";

/**
 * What a migration may do while programs of the previous release are running (docs/upgrades.md) [database.expand]. A
 * migration that says "programs from NNNN on" may remove what those programs no longer use.
 */

const narrowing: Record<string, string> = {
  AT_DropColumn: "drops a column",
  AT_AlterColumnType: "changes a column's type",
  AT_SetNotNull: "makes a column NOT NULL",
};

interface Walk {
  /** tables that the migration itself created: nothing uses them yet */
  own: Set<string>;
  found: string[];
  contracts: boolean;
}

function checkChange(walk: Walk, table: string, change: AlterTableCmd): void {
  const what = narrowing[change.subtype ?? ""];
  if (what !== undefined && !walk.contracts) walk.found.push(`${table}: ${what}`);
  const column = change.subtype === "AT_AddColumn" ? as(change.def, "ColumnDef") : undefined;
  const constraints = (column?.constraints ?? []).flatMap((node) => as(node, "Constraint")?.contype ?? []);
  if (constraints.includes("CONSTR_NOTNULL") && !constraints.includes("CONSTR_DEFAULT")) {
    walk.found.push(`${table}: adds a column that old programs leave empty as NOT NULL`);
  }
  const added = as(change.def, "Constraint");
  const holds = change.subtype === "AT_AddConstraint" && added !== undefined && !added.skip_validation;
  if (holds && added.indexname === undefined && !walk.contracts) {
    walk.found.push(`${table}: adds a constraint that old programs' rows may fail; add it as NOT VALID`);
  }
}

function checkStatement(walk: Walk, node: Node, transactional: boolean): void {
  const create = as(node, "CreateStmt");
  if (create) walk.own.add(tableName(create.relation));
  const alter = as(node, "AlterTableStmt");
  if (alter && !walk.own.has(tableName(alter.relation))) {
    for (const each of alter.cmds ?? []) {
      const change = as(each, "AlterTableCmd");
      if (change) checkChange(walk, tableName(alter.relation), change);
    }
  }
  const index = as(node, "IndexStmt");
  if (index && !index.concurrent && !walk.own.has(tableName(index.relation))) {
    walk.found.push(`${tableName(index.relation)}: builds ${index.idxname ?? "an index"} without CONCURRENTLY`);
  }
  const drop = as(node, "DropStmt");
  if (drop?.removeType === "OBJECT_TABLE" && !walk.contracts) walk.found.push("drops a table");
  if (kindOf(node) === "RenameStmt" && !walk.contracts) walk.found.push("renames something");
  const concurrent = index?.concurrent || (drop?.removeType === "OBJECT_INDEX" && drop.concurrent);
  if (!transactional && !concurrent) walk.found.push("does more than indexes outside a transaction");
  if (transactional && concurrent) walk.found.push("needs the line: -- outside a transaction");
}

/** The violations in one migration. */
function checkUpgrade({ sql, transactional, oldestProgram, number }: Migration): string[] {
  const walk: Walk = { own: new Set(), found: [], contracts: oldestProgram > 0 };
  for (const { node } of statementsOf(sql)) checkStatement(walk, node, transactional);
  if (oldestProgram >= number) walk.found.push("needs programs that know itself: nobody could be left running");
  return walk.found;
}

/** Loads PostgreSQL's parser. */
export async function loadUpgradeRules(): Promise<(migration: Migration) => string[]> {
  await loadModule();
  return checkUpgrade;
}
