import { as, names, parameter, visit } from "./sql-tree.ts";

/**
 * A statement's function calls with parameters of no stated type. PostgreSQL then looks for the only function of that
 * name that fits, and an extension may add a second: Citus has `pg_cancel_backend` for bigint in addition to integer,
 * so that `pg_cancel_backend($1)` is ambiguous there.
 */
export function untypedArguments(tree: unknown): string[] {
  const found = new Set<string>();
  visit(tree, (node) => {
    const call = as(node, "FuncCall");
    for (const argument of call?.args ?? []) {
      const value = as(argument, "NamedArgExpr")?.arg ?? argument;
      if (as(value, "TypeCast")) continue;
      const given = parameter(value);
      if (given !== undefined) found.add(`${names(call?.funcname).at(-1) ?? ""}($${given})`);
    }
    return true;
  });
  return [...found];
}
