import { type Runner, sql } from "../platform/database/sql.ts";

/** Reads the tables from the database's own catalog, so that tables of later releases are covered. */

export interface TenantTable {
  name: string;
  columns: { name: string; type: string }[];
  /** tables that its foreign keys reference */
  refersTo: string[];
}

const plainName = /^[a-z_][a-z0-9_]*$/;

/** Every table whose rows belong to a store, including those that are looked up without a store. */
export async function tenantTables(db: Runner): Promise<TenantTable[]> {
  const rows = await db.all(
    sql<{ name: string; columns: TenantTable["columns"]; refers_to: string[] }>`
    SELECT c.relname AS name,
      (SELECT jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL)) ORDER BY a.attnum)
       FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
      coalesce((SELECT jsonb_agg(DISTINCT f.relname) FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
       WHERE k.conrelid = c.oid AND k.contype = 'f'), '[]') AS refers_to
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') ORDER BY c.relname`,
  );
  return rows
    .filter(({ name, columns }) => plainName.test(name) && isTenant(name, columns))
    .map(({ name, columns, refers_to }) => ({ name, columns, refersTo: refers_to }));
}

const isTenant = (name: string, columns: TenantTable["columns"]): boolean =>
  name === "stores" || columns.some((column) => column.name === "store_id");

/** Orders tables so that each comes before those its foreign keys reference. */
export function childrenFirst(tables: readonly TenantTable[]): TenantTable[] {
  const left = new Map(tables.map((table) => [table.name, table]));
  const sorted: TenantTable[] = [];
  while (left.size > 0) {
    const referred = new Set([...left.values()].flatMap(({ name, refersTo }) => refersTo.filter((to) => to !== name)));
    const free = [...left.values()].filter(({ name }) => !referred.has(name));
    // a cycle of tables cannot be emptied in any order; the database will report it
    const next = free.length > 0 ? free : [...left.values()];
    sorted.push(...next);
    for (const { name } of next) left.delete(name);
  }
  return sorted;
}
