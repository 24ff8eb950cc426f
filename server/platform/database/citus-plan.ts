import { OperatorError } from "../operator-error.ts";
/**
 * Plans which tables a Citus cluster distributes, which it copies to every node, and in what order
 * [operations.cluster]. Pure: from the catalog to statements. No table is listed by name, so that the tables of later
 * migrations follow the same rule:
 *
 * - `distributed`: the primary key begins with `store_id`. All rows of a store are on one node.
 * - `reference`: the stores themselves, to which a foreign key by `store_id` leads, and whatever else a table on another
 *   node refers to. Each node has a copy, so that it can be joined everywhere. A write or a lock needs every node, so these
 *   tables are the few that hardly ever change [operations.node-writes].
 * - `local`: neither. It stays on the coordinator, so that no other node is needed for it: people who sign in, their
 *   sessions and rights, keys, the directory of quizzes. The calendar is written with the database's own clock, of which a
 *   cluster has one per node, and the list of migrations belongs to the migrations.
 */
export type Placement = "distributed" | "reference" | "local";

export const distributionColumn = "store_id";

/** How Citus has placed a table already. */
export type Placed =
  | { kind: "reference" }
  | { kind: "distributed"; column: string; colocation: number }
  /** on the coordinator, and registered, so that foreign keys may tie it to tables that other nodes have */
  | { kind: "local" };

export interface Table {
  name: string;
  columns: readonly string[];
  /** empty: none */
  primaryKey: readonly string[];
  /** unique and exclusion constraints and unique indexes; null: an expression */
  uniques: readonly { name: string; columns: readonly (string | null)[] }[];
  /** columns that a sequence fills */
  numbered: readonly string[];
  /** columns that are computed from others */
  generated: readonly string[];
  triggers: readonly string[];
  placed: Placed | null;
}

/** As pg_constraint has it: no action, restrict, cascade, set null, set default. */
export type ForeignKeyAction = "a" | "r" | "c" | "n" | "d";

export interface ForeignKey {
  name: string;
  from: string;
  to: string;
  columns: readonly string[];
  /** one for each of `columns` */
  targets: readonly string[];
  onDelete: ForeignKeyAction;
  onUpdate: ForeignKeyAction;
}

export interface Catalog {
  tables: readonly Table[];
  foreignKeys: readonly ForeignKey[];
}

export interface Step {
  table: string;
  placement: Placement;
  sql: string;
}

export interface Plan {
  /**
   * Copies on every node that earlier releases made of tables that belong on the coordinator: they come back to it, all at
   * once, before the steps.
   */
  returning: readonly Step[];
  /** in this order */
  steps: readonly Step[];
  /** tables that are already placed as planned */
  kept: readonly string[];
  /** tables that stay on the coordinator */
  local: readonly string[];
}

const isDistributed = ({ primaryKey }: Table): boolean => primaryKey[0] === distributionColumn;

const namesStore = ({ columns }: ForeignKey): boolean => columns.length === 1 && columns[0] === distributionColumn;

/** Each table's placement, by its name. */
export function placementsOf({ tables, foreignKeys }: Catalog): Map<string, Placement> {
  const distributed = new Set(tables.filter(isDistributed).map(({ name }) => name));
  const everywhere = new Set(
    foreignKeys.flatMap((key) => (namesStore(key) || distributed.has(key.from) ? [key.to] : [])),
  );
  // the loop reaches what is added meanwhile
  for (const name of everywhere) {
    for (const { from, to } of foreignKeys) if (from === name && !distributed.has(to)) everywhere.add(to);
  }
  const placementOf = (table: Table): Placement => {
    if (isDistributed(table)) return "distributed";
    return everywhere.has(table.name) ? "reference" : "local";
  };
  return new Map(tables.map((table) => [table.name, placementOf(table)]));
}

/** Throws an OperatorError if Citus would refuse a step, or accept one that cannot work later. */
export function planDistribution({ tables, foreignKeys }: Catalog): Plan {
  const placements = placementsOf({ tables, foreignKeys });
  const problems = [
    ...tables.flatMap((table) => problemsOf(table, placements.get(table.name) ?? "local")),
    ...foreignKeys.flatMap((key) => problemsOfKey(key, placements)),
    ...problemsOfColocation(tables),
  ];
  const ordered = referencedFirst(tables, foreignKeys, problems);
  if (problems.length > 0) throw new OperatorError(problems.join("; "));
  const of = (placement: Placement) => ordered.filter(({ name }) => placements.get(name) === placement);
  const distributed = of("distributed");
  const anchor = distributed.find(({ placed }) => placed !== null) ?? distributed[0];
  const steps = [
    ...of("reference").map(({ name, placed }) => ({ placed, step: referenceStep(name) })),
    ...distributed.map(({ name, placed }) => ({ placed, step: distributedStep(name, anchor?.name ?? name) })),
  ];
  const local = of("local");
  const registered = new Set(tables.flatMap(({ name, placed }) => (placed === null ? [] : [name])));
  const tied = local.filter(
    ({ name, placed }) =>
      placed === null && foreignKeys.some(({ from, to }) => from === name && to !== name && registered.has(to)),
  );
  return {
    returning: local.flatMap(({ name, placed }) => (placed?.kind === "reference" ? [localStep(name)] : [])),
    steps: [
      ...steps.flatMap(({ placed, step }) => (placed === null ? [step] : [])),
      ...tied.map(({ name }) => tiedStep(name)),
    ],
    kept: steps.flatMap(({ placed, step }) => (placed === null ? [] : [step.table])),
    local: local.map(({ name }) => name),
  };
}

const localStep = (table: string): Step => ({
  table,
  placement: "local",
  sql: `SELECT undistribute_table('${table}')`,
});

/** For a table that refers to one that is placed already; the first placement of that one does it by itself. */
const tiedStep = (table: string): Step => ({
  table,
  placement: "local",
  sql: `SELECT citus_add_local_table_to_metadata('${table}', cascade_via_foreign_keys => true)`,
});

const referenceStep = (table: string): Step => ({
  table,
  placement: "reference",
  sql: `SELECT create_reference_table('${table}')`,
});

/** The first table starts the colocation group, which keeps a store's rows together; the others name it. */
const distributedStep = (table: string, anchor: string): Step => ({
  table,
  placement: "distributed",
  sql: `SELECT create_distributed_table('${table}', '${distributionColumn}', colocate_with => '${table === anchor ? "none" : anchor}')`,
});

function problemsOf(table: Table, placement: Placement): string[] {
  const { name, uniques, numbered, generated, triggers, placed } = table;
  const problems: string[] = [];
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) problems.push(`${name}: its name would have to be quoted`);
  const returns = placement === "local" && placed?.kind === "reference";
  if (placed !== null && placed.kind !== placement && !returns) {
    problems.push(`${name}: is a ${placed.kind} table of the cluster, and has to be ${placement}`);
  } else if (placed?.kind === "distributed" && placed.column !== distributionColumn) {
    problems.push(`${name}: is distributed by ${placed.column}, and has to be by ${distributionColumn}`);
  }
  if (placement === "local") return problems;
  if (triggers.length > 0) problems.push(`${name}: has triggers (${triggers.join(", ")})`);
  if (numbered.length > 0) problems.push(`${name}: a sequence fills ${numbered.join(", ")}, and each node would count`);
  if (placement === "reference") return problems;
  for (const unique of uniques) {
    if (unique.columns.includes(distributionColumn)) continue;
    problems.push(`${name}: ${unique.name} is unique without ${distributionColumn}, which no node can see to alone`);
  }
  if (generated.includes(distributionColumn)) problems.push(`${name}: ${distributionColumn} is computed`);
  return problems;
}

function problemsOfKey(key: ForeignKey, placements: ReadonlyMap<string, Placement>): string[] {
  const { name, from, to, columns, targets, onDelete, onUpdate } = key;
  const [fromPlacement, toPlacement] = [placements.get(from), placements.get(to)];
  const named = `${from}: foreign key ${name} to ${to}`;
  if (fromPlacement !== "distributed") {
    return toPlacement === "distributed" ? [`${named}: only a distributed table may refer to one`] : [];
  }
  const problems: string[] = [];
  const position = columns.indexOf(distributionColumn);
  if (toPlacement === "distributed" && (position < 0 || targets[position] !== distributionColumn)) {
    problems.push(`${named}: has to pair ${distributionColumn} with ${distributionColumn}`);
  }
  // whatever columns it names: Citus checks only the action
  if (position >= 0 && (["n", "d"].includes(onDelete) || ["n", "d", "c"].includes(onUpdate))) {
    problems.push(`${named}: its action would set ${distributionColumn}`);
  }
  return problems;
}

function problemsOfColocation(tables: readonly Table[]): string[] {
  const groups = Map.groupBy(
    tables.flatMap(({ name, placed }) => (placed?.kind === "distributed" ? [{ name, group: placed.colocation }] : [])),
    ({ group }) => group,
  );
  if (groups.size < 2) return [];
  const parts = [...groups.values()].map((group) => group.map(({ name }) => name).join(", "));
  return [`the tables of a store are not colocated: ${parts.join(" apart from ")}`];
}

/** Sorted by name, but referenced tables come first. Circular references are reported as a problem. */
export function referencedFirst(
  tables: readonly Table[],
  foreignKeys: readonly ForeignKey[],
  problems: string[],
): readonly Table[] {
  const waiting = tables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const isWaiting = new Set(waiting.map(({ name }) => name));
    const isReady = ({ name }: Table) =>
      foreignKeys.every(({ from, to }) => from !== name || to === name || !isWaiting.has(to));
    const [next] = waiting.filter(isReady);
    if (next === undefined) {
      problems.push(`foreign keys lead in a circle: ${[...isWaiting].join(", ")}`);
      return [...ordered, ...waiting];
    }
    waiting.splice(waiting.indexOf(next), 1);
    ordered.push(next);
  }
  return ordered;
}
