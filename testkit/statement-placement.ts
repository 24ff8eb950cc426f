import type { Node, SelectStmt } from "libpg-query";
import { as, tableName, visit, writtenBy } from "./sql-tree.ts";
import type { TableRules } from "./statement-select.ts";

/**
 * Where a Citus cluster has a statement's tables: a lock on one that every node has takes every node, and one that only
 * the coordinator has is not on the store's node [operations.node-writes].
 */

/** The tables of FROM by the name that the statement has for them, subqueries left out. */
function fromTables({ fromClause }: SelectStmt): Map<string, string> {
  const tables = new Map<string, string>();
  visit(fromClause, (node, kind) => {
    const range = as(node, "RangeVar");
    if (range) tables.set(range.alias?.aliasname ?? range.relname ?? "", tableName(range));
    return kind !== "RangeSubselect" && kind !== "SelectStmt";
  });
  return tables;
}

function lockedBy(select: SelectStmt): string[] {
  if (select.lockingClause === undefined) return [];
  const tables = fromTables(select);
  return select.lockingClause.flatMap((node) => {
    const rels = as(node, "LockingClause")?.lockedRels;
    if (rels === undefined) return [...tables.values()];
    return rels.flatMap((rel) => tables.get(as(rel, "RangeVar")?.relname ?? "") ?? []);
  });
}

/** The tables whose rows a statement locks, those that it writes, and all that it names. */
export function tablesIn(tree: Node): Record<"locked" | "written" | "named", Set<string>> {
  const found = { locked: new Set<string>(), written: new Set<string>(), named: new Set<string>() };
  visit([tree], (node) => {
    const range = as(node, "RangeVar");
    if (range) found.named.add(tableName(range));
    const select = as(node, "SelectStmt");
    for (const table of select ? lockedBy(select) : []) found.locked.add(table);
    const written = writtenBy(node);
    for (const set of written ? [found.written, found.named] : []) set.add(tableName(written));
    return true;
  });
  return found;
}

export function misplaced(tree: Node, { tenant, reference, onEveryNode }: TableRules): string[] {
  const { locked, named } = tablesIn(tree);
  const locks = [...locked]
    .filter((table) => onEveryNode.has(table))
    .map(
      (table) => `${table}: every node has it, and a lock takes all of them; lock the store's row of store_revisions`,
    );
  if (![...named].some((table) => tenant.has(table))) return locks;
  const apart = [...named].filter((table) => reference.has(table) && !onEveryNode.has(table));
  return [
    ...locks,
    ...apart.map((table) => `${table}: only the coordinator has it, and not the stores' tables beside it`),
  ];
}
