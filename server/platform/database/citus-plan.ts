import { OperatorError } from "../operator-error.ts";
/**
 * Plans which tables a Citus cluster distributes, which it copies to every node, and in what order
 * [operations.cluster]. Pure: from the catalog to statements. No table is listed by name, so that the tables of later
 * migrations follow the same rule:
 *
 * - `distributed`: the primary key begins with `store_id`. All rows of a store are on one node.
 * - `reference`: it is looked up without a store (it finds the store by another key, or a foreign key ties it to such a
 *   table). Each node has a copy, so that it can be joined everywhere.
 * - `local`: neither. It stays on the coordinator: the calendar is written with the database's own clock, of which a
 *   cluster has one per node, and the list of migrations belongs to the migrations.
 */
export type Placement = "distributed" | "reference" | "local";

export const distributionColumn = "store_id";

/** How Citus has placed a table already. */
export type Placed = { kind: "reference" } | { kind: "distributed"; column: string; colocation: number };

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
  placement: "distributed" | "reference";
  sql: string;
}

export interface Plan {
  /** in this order */
  steps: readonly Step[];
  /** tables that are already placed as planned */
  kept: readonly string[];
  /** tables that stay on the coordinator */
  local: readonly string[];
}

export function placementOf({ name, columns, primaryKey }: Table, foreignKeys: readonly ForeignKey[]): Placement {
  if (primaryKey[0] === distributionColumn) return "distributed";
  const tied = foreignKeys.some(({ from, to }) => from === name || to === name);
  return tied || columns.includes(distributionColumn) ? "reference" : "local";
}

/** Throws an OperatorError if Citus would refuse a step, or accept one that cannot work later. */
export function planDistribution({ tables, foreignKeys }: Catalog): Plan {
  const placements = new Map(tables.map((table) => [table.name, placementOf(table, foreignKeys)]));
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
  return {
    steps: steps.flatMap(({ placed, step }) => (placed === null ? [step] : [])),
    kept: steps.flatMap(({ placed, step }) => (placed === null ? [] : [step.table])),
    local: of("local").map(({ name }) => name),
  };
}

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
  if (placed !== null && placed.kind !== placement) {
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
