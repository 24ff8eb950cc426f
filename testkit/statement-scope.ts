import type { Node } from "libpg-query";
import { as, names, parameter } from "./sql-tree.ts";

/**
 * Determines which columns of a query level are known to equal a parameter. A level is what one SELECT, UPDATE, DELETE
 * or MERGE sees: its own relations. Columns of an outer query bind nothing: a distributed PostgreSQL chooses the node
 * of each (sub)query by the constants in it, and asks every node if it only depends on the outer query.
 *
 * An equality binds only if no row that breaks it can be returned: in WHERE and an inner join's ON it binds both sides,
 * in an outer join's ON only the side that is filled with nulls.
 */

export interface Column {
  name: string;
  /** The parameter that it always equals. */
  store: number | undefined;
}

/** A subquery's columns; `open` if a `*` hides columns, so that their positions are unknown. */
export interface Columns {
  list: readonly Column[];
  open: boolean;
}

export const noColumns: Columns = { list: [], open: true };

export interface Relation {
  alias: string;
  /** The table's name for messages. */
  table: string;
  kind: "tenant" | "reference" | "rows";
  columns: Columns;
}

export interface Level {
  ctes: ReadonlyMap<string, Columns>;
  relations: Map<string, Relation>;
  pins: Map<string, Set<number>>;
  /** columns already bound inside a subquery of FROM or a CTE: they do not choose a node for the tables next to it */
  carried: Map<string, Set<number>>;
  edges: Map<string, Set<string>>;
  /**
   * The merged store_id of USING: the relation to whose column an unqualified name refers; null: it cannot be
   * determined.
   */
  merged: string | null | undefined;
}

export function newLevel(ctes: ReadonlyMap<string, Columns>): Level {
  return { ctes, relations: new Map(), pins: new Map(), carried: new Map(), edges: new Map(), merged: undefined };
}

/** Returns which aliases an equality at this place may bind. */
export type Bindable = (alias: string) => boolean;

type Term = { store: number } | { alias: string; key: string };

const keyOf = (alias: string, column: string): string => `${alias}.${column}`;

function addTo<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

/** The parameters that a column equals because of this level's own conditions. */
export function storesBoundHere(level: Level, alias: string, column: string): ReadonlySet<number> {
  // Edges run from known to bound, so the search starts from the pins and follows them.
  const known = new Map([...level.pins].map(([key, stores]) => [key, new Set(stores)]));
  const queue = [...known.keys()];
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    const stores = known.get(key) ?? new Set<number>();
    for (const next of level.edges.get(key) ?? []) {
      const before = known.get(next)?.size ?? 0;
      for (const store of stores) addTo(known, next, store);
      if ((known.get(next)?.size ?? 0) > before) queue.push(next);
    }
  }
  return known.get(keyOf(alias, column)) ?? new Set();
}

/** The parameters that a column of this level equals, whichever level determines them. */
export function storesOf(level: Level, alias: string, column: string): ReadonlySet<number> {
  const carried = level.carried.get(keyOf(alias, column)) ?? [];
  return new Set([...storesBoundHere(level, alias, column), ...carried]);
}

function mayHave(relation: Relation, column: string): boolean {
  return relation.kind === "tenant" ? column === "store_id" : relation.columns.list.some(({ name }) => name === column);
}

/** The relation of an unqualified name; undefined if it cannot be in this level, null if it is ambiguous. */
function ownerOf(level: Level, column: string): string | null | undefined {
  const relations = [...level.relations.values()];
  const owners = relations.filter((relation) => mayHave(relation, column));
  if (owners.length === 1) return owners[0]?.alias;
  if (owners.length > 1) return column === "store_id" && level.merged !== undefined ? level.merged : null;
  if (relations.length === 1) return relations[0]?.alias;
  return relations.every(({ kind, columns }) => kind === "rows" && !columns.open) ? undefined : null;
}

function columnTerm(level: Level, path: readonly string[]): Term | undefined {
  const column = path.at(-1) ?? "";
  const alias = path.length > 1 ? path.at(-2) : ownerOf(level, column);
  return alias && level.relations.has(alias) ? { alias, key: keyOf(alias, column) } : undefined;
}

function termOf(level: Level, node: Node | undefined): Term | undefined {
  const store = parameter(node);
  if (store !== undefined) return { store };
  const fields = as(node, "ColumnRef")?.fields;
  const path = names(fields);
  return path.length > 0 && path.length === fields?.length ? columnTerm(level, path) : undefined;
}

/** The parameter that an expression always equals at this level. */
export function storeOf(level: Level, node: Node | undefined): number | undefined {
  const term = termOf(level, node);
  if (!term) return undefined;
  if ("store" in term) return term.store;
  const [store] = storesOf(level, term.alias, term.key.slice(term.alias.length + 1));
  return store;
}

export function carry(level: Level, alias: string, column: string, store: number): void {
  addTo(level.carried, keyOf(alias, column), store);
}

export function pin(level: Level, alias: string, column: string, store: number): void {
  addTo(level.pins, keyOf(alias, column), store);
}

function equate(level: Level, left: Term | undefined, right: Term | undefined, bindable: Bindable): void {
  if (!left || !right) return;
  if ("store" in left) {
    if ("alias" in right && bindable(right.alias)) addTo(level.pins, right.key, left.store);
  } else if ("store" in right) {
    equate(level, right, left, bindable);
  } else {
    if (bindable(right.alias)) addTo(level.edges, left.key, right.key);
    if (bindable(left.alias)) addTo(level.edges, right.key, left.key);
  }
}

/** Adds the equalities that a condition states at its top AND level. */
export function addCondition(level: Level, condition: Node | undefined, bindable: Bindable): void {
  const both = as(condition, "BoolExpr");
  if (both?.boolop === "AND_EXPR") {
    for (const part of both.args ?? []) addCondition(level, part, bindable);
    return;
  }
  const expression = as(condition, "A_Expr");
  if (expression?.kind !== "AEXPR_OP" || names(expression.name).at(-1) !== "=") return;
  const leftRow = as(expression.lexpr, "RowExpr")?.args;
  const rightRow = as(expression.rexpr, "RowExpr")?.args;
  if (leftRow && rightRow) {
    leftRow.forEach((part, i) => {
      equate(level, termOf(level, part), termOf(level, rightRow[i]), bindable);
    });
  } else {
    equate(level, termOf(level, expression.lexpr), termOf(level, expression.rexpr), bindable);
  }
}

/** Adds USING (store_id): the one column that both sides merge. */
export function addMergedStore(level: Level, left: readonly string[], right: readonly string[], type: string): void {
  const holder = (aliases: readonly string[]): string | undefined =>
    aliases.find((alias) => {
      const relation = level.relations.get(alias);
      return relation !== undefined && mayHave(relation, "store_id");
    }) ?? (aliases.length === 1 ? aliases[0] : undefined);
  const [from, to] = [holder(left), holder(right)];
  if (from === undefined || to === undefined) return;
  const edge = (a: string, b: string): void => addTo(level.edges, keyOf(a, "store_id"), keyOf(b, "store_id"));
  if (type === "JOIN_INNER" || type === "JOIN_LEFT") edge(from, to);
  if (type === "JOIN_INNER" || type === "JOIN_RIGHT") edge(to, from);
  const plain = type === "JOIN_INNER" || type === "JOIN_LEFT";
  if (!plain) level.merged = null;
  else if (level.merged === undefined) level.merged = from;
}

/** The same columns under other names, as in `AS x(a, b)`. */
export function renamed(columns: Columns, aliases: readonly string[]): Columns {
  if (aliases.length === 0) return columns;
  if (columns.open) return noColumns;
  return { list: columns.list.map((column, i) => ({ ...column, name: aliases[i] ?? column.name })), open: false };
}
