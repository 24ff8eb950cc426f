import type { Node } from "libpg-query";
import { as, names, visit } from "./sql-tree.ts";

/** Functions that read a clock or draw random numbers: a test cannot control their results. */
const impure = new Set([
  "now",
  "transaction_timestamp",
  "statement_timestamp",
  "clock_timestamp",
  "timeofday",
  "random",
  "random_normal",
  "setseed",
  "gen_random_uuid",
  "gen_random_bytes",
  "uuidv4",
  "uuidv7",
  "uuid_generate_v1",
  "uuid_generate_v1mc",
  "uuid_generate_v4",
]);

const momentTypes = new Set(["date", "time", "timetz", "timestamp", "timestamptz"]);
const moments = new Set(["now", "today", "tomorrow", "yesterday"]);

function impureCall(node: Node): string | undefined {
  const call = as(node, "FuncCall");
  if (call) {
    const name = names(call.funcname).at(-1) ?? "";
    // age(x) subtracts from today; age(x, y) is pure.
    if (impure.has(name) || (name === "age" && call.args?.length === 1)) return `${name}()`;
  }
  const value = as(node, "SQLValueFunction")
    ?.op?.replace(/^SVFOP_/, "")
    .replace(/_N$/, "");
  if (value && /^(CURRENT_(DATE|TIME|TIMESTAMP)|LOCALTIME|LOCALTIMESTAMP)$/.test(value)) return value.toLowerCase();
  const cast = as(node, "TypeCast");
  const text = as(cast?.arg, "A_Const")?.sval?.sval?.trim().toLowerCase();
  if (text !== undefined && moments.has(text)) {
    const type = names(cast?.typeName?.names).at(-1) ?? "";
    if (momentTypes.has(type)) return `'${text}'::${type}`;
  }
  return undefined;
}

/** The calls in a statement whose results depend on time or chance, each once [database.given-time]. */
export function impureCalls(tree: unknown): string[] {
  const found = new Set<string>();
  visit(tree, (node) => {
    const call = impureCall(node);
    if (call !== undefined) found.add(call);
    return true;
  });
  return [...found];
}

/** Whether a statement notifies listeners through a function. */
export function callsNotify(tree: unknown): boolean {
  let found = false;
  visit(tree, (node) => {
    if (names(as(node, "FuncCall")?.funcname).at(-1) === "pg_notify") found = true;
    return !found;
  });
  return found;
}
