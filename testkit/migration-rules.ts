import type { AlterTableCmd, Constraint, IndexElem, Node } from "libpg-query";
import { loadModule } from "libpg-query";
import type { Statement } from "./sql-tree.ts";
import { as, kindOf, names, statementsOf, tableName } from "./sql-tree.ts";
import { impureCalls } from "./statement-clock.ts";
import type { TableRules } from "./statement-select.ts";

/**
 * The rules of the schema [database.store-keys, database.given-time]: a tenant table's keys and indexes begin with
 * store_id, references stay within a store, and nothing in the schema acts by itself or reads a clock.
 *
 * Two comment lines directly above a statement claim exceptions: `-- reference` (a CREATE TABLE of a small replicated
 * table) and `-- due work` (a partial index over what is due). They may be followed by an explanation.
 */
export interface MigrationRules {
  /** The violations of one migration; `reference`: the reference tables that earlier migrations created. */
  checkMigration: (sql: string, reference?: ReadonlySet<string>) => string[];
  /** The tables that exist after these migrations, which are given in the order in which they run. */
  tablesOf: (migrations: readonly string[]) => Omit<TableRules, "onEveryNode">;
}

const marked = ({ above }: Statement, words: string): boolean =>
  above.some((line) => new RegExp(`^--\\s*${words}\\b`).test(line));

interface Schema {
  reference: Set<string>;
  violations: Set<string>;
}

const isTenant = (schema: Schema, table: string): boolean => !schema.reference.has(table);

const elementName = (node: Node | undefined): string | undefined => {
  const element: IndexElem | undefined = as(node, "IndexElem");
  return element?.name;
};

/** Primary, unique and exclusion constraints must begin with store_id; `column`: the column of a column constraint. */
function checkKey(schema: Schema, table: string, constraint: Constraint, column: string | undefined): void {
  const keys = column === undefined ? names(constraint.keys) : [column];
  const first: Record<string, [name: string, column: string | undefined]> = {
    CONSTR_PRIMARY: ["the primary key", keys[0]],
    CONSTR_UNIQUE: ["a unique constraint", keys[0]],
    CONSTR_EXCLUSION: ["an exclusion constraint", elementName(as(constraint.exclusions?.[0], "List")?.items?.[0])],
  };
  const [kind, key] = first[constraint.contype ?? ""] ?? [];
  // ADD CONSTRAINT ... USING INDEX names an index that has been checked already.
  if (kind === undefined || key === "store_id" || constraint.indexname !== undefined) return;
  schema.violations.add(`${table}: ${kind} must begin with store_id, not ${key ?? "an expression"}`);
}

function checkReference(schema: Schema, table: string, constraint: Constraint, column: string | undefined): void {
  if (constraint.contype !== "CONSTR_FOREIGN") return;
  const target = tableName(constraint.pktable);
  if (!isTenant(schema, target)) return;
  if (!isTenant(schema, table)) {
    schema.violations.add(`${table}: a reference table cannot refer to the tenant table ${target}`);
    return;
  }
  const from = column === undefined ? names(constraint.fk_attrs) : [column];
  const to = names(constraint.pk_attrs);
  const position = from.indexOf("store_id");
  // Without columns the target is its primary key, which begins with store_id.
  if (position < 0 || (to.length > 0 ? to[position] !== "store_id" : position !== 0)) {
    schema.violations.add(`${table}: the foreign key to ${target} must pair store_id with store_id`);
  }
  const clears =
    ["n", "d"].includes(constraint.fk_del_action ?? "") || ["n", "d"].includes(constraint.fk_upd_action ?? "");
  if (clears && !constraint.fk_del_set_cols) {
    schema.violations.add(`${table}: the foreign key to ${target} would clear store_id; name the columns it sets`);
  }
}

function checkConstraint(schema: Schema, table: string, constraint: Constraint, column?: string): void {
  if (isTenant(schema, table)) checkKey(schema, table, constraint, column);
  checkReference(schema, table, constraint, column);
}

/** The constraints of a table's elements, each with its column if it is a column constraint. */
function constraintsOf(elements: readonly Node[] | undefined): [Constraint, string | undefined][] {
  return (elements ?? []).flatMap((node): [Constraint, string | undefined][] => {
    const own = as(node, "Constraint");
    if (own) return [[own, undefined]];
    const column = as(node, "ColumnDef");
    return (column?.constraints ?? []).flatMap((inner): [Constraint, string | undefined][] => {
      const constraint = as(inner, "Constraint");
      return constraint ? [[constraint, column?.colname]] : [];
    });
  });
}

function checkTable(schema: Schema, { node }: Statement): void {
  const create = as(node, "CreateStmt");
  if (!create) return;
  const table = tableName(create.relation);
  const constraints = constraintsOf(create.tableElts);
  for (const [constraint, column] of constraints) checkConstraint(schema, table, constraint, column);
  // A partition has its parent's key.
  const keyed = create.partbound || constraints.some(([{ contype }]) => contype === "CONSTR_PRIMARY");
  if (isTenant(schema, table) && !keyed) {
    schema.violations.add(`${table}: no primary key that begins with store_id (or mark it "-- reference")`);
  }
}

function checkIndex(schema: Schema, statement: Statement): void {
  const index = as(statement.node, "IndexStmt");
  const table = tableName(index?.relation);
  if (!index || !isTenant(schema, table) || elementName(index.indexParams?.[0]) === "store_id") return;
  const due = marked(statement, "due work");
  if (due && index.whereClause && !index.unique) return;
  const named = `${table}: index ${index.idxname ?? "without a name"}`;
  schema.violations.add(
    due
      ? `${named}: only a partial, not unique index may serve due work across stores`
      : `${named} must begin with store_id`,
  );
}

function checkChange(schema: Schema, table: string, change: AlterTableCmd): void {
  const added = as(change.def, "Constraint");
  if (added) checkConstraint(schema, table, added);
  if (as(change.def, "ColumnDef") && change.def) {
    for (const [constraint, column] of constraintsOf([change.def])) checkConstraint(schema, table, constraint, column);
  }
  if (change.subtype === "AT_DropColumn" && change.name === "store_id" && isTenant(schema, table)) {
    schema.violations.add(`${table}: a tenant table keeps its store_id`);
  }
  if (/^AT_(Enable|Force)RowSecurity$/.test(change.subtype ?? "")) {
    schema.violations.add(`${table}: row level security costs on every statement; name the store instead`);
  }
  if (/^AT_Enable(Always|Replica)?(Trig|Rule)/.test(change.subtype ?? "")) {
    schema.violations.add(`${table}: no triggers or rules`);
  }
}

const refused: Record<string, string> = {
  CreateTrigStmt: "no triggers: they cost, and a distributed table has none",
  CreateEventTrigStmt: "no event triggers",
  RuleStmt: "no rules: they rewrite statements unseen",
  CreatePolicyStmt: "no row level security policies",
  CreateTableAsStmt: "CREATE TABLE AS states no primary key",
  TransactionStmt: "the transaction is the runner's: a migration begins and ends none",
};

function checkStatement(schema: Schema, statement: Statement): void {
  const { node } = statement;
  const create = as(node, "CreateStmt");
  if (create && marked(statement, "reference")) schema.reference.add(tableName(create.relation));
  checkTable(schema, statement);
  checkIndex(schema, statement);
  const alter = as(node, "AlterTableStmt");
  for (const change of alter?.cmds ?? []) {
    const command = as(change, "AlterTableCmd");
    if (alter?.objtype === "OBJECT_TABLE" && command) checkChange(schema, tableName(alter.relation), command);
  }
  const view = as(node, "CreateTableAsStmt")?.objtype === "OBJECT_MATVIEW";
  const reason = view ? "no materialized views: nothing keeps them to a store" : refused[kindOf(node)];
  if (reason !== undefined) schema.violations.add(reason);
  if (as(node, "CreateFunctionStmt")?.sql_body) {
    schema.violations.add(
      "a function's body stands in $$: the runner sends a statement a message, and cuts at every ;",
    );
  }
  for (const call of impureCalls(node)) {
    schema.violations.add(`${call}: the schema reads no clock and draws no random numbers`);
  }
}

function checkMigration(sql: string, reference: ReadonlySet<string> = new Set()): string[] {
  const schema: Schema = { reference: new Set(reference), violations: new Set() };
  for (const statement of statementsOf(sql)) checkStatement(schema, statement);
  return [...schema.violations];
}

function tablesOf(migrations: readonly string[]): Omit<TableRules, "onEveryNode"> {
  const kinds = new Map<string, "tenant" | "reference">();
  for (const statement of migrations.flatMap(statementsOf)) {
    const create = as(statement.node, "CreateStmt");
    if (create) kinds.set(tableName(create.relation), marked(statement, "reference") ? "reference" : "tenant");
    const drop = as(statement.node, "DropStmt");
    if (drop?.removeType === "OBJECT_TABLE") {
      for (const object of drop.objects ?? []) {
        const path = names(as(object, "List")?.items);
        kinds.delete(path[0] === "public" ? path.slice(1).join(".") : path.join("."));
      }
    }
    const rename = as(statement.node, "RenameStmt");
    const kind = rename?.renameType === "OBJECT_TABLE" ? kinds.get(tableName(rename.relation)) : undefined;
    if (rename?.newname !== undefined && kind !== undefined) {
      kinds.delete(tableName(rename.relation));
      kinds.set(rename.newname, kind);
    }
  }
  const of = (wanted: string): ReadonlySet<string> =>
    new Set([...kinds].flatMap(([table, kind]) => (kind === wanted ? [table] : [])));
  return { tenant: of("tenant"), reference: of("reference") };
}

/** Loads PostgreSQL's parser. Both functions throw its error for invalid SQL. */
export async function loadMigrationRules(): Promise<MigrationRules> {
  await loadModule();
  return { checkMigration, tablesOf };
}
