import { as, names, parameter, visit } from "./sql-tree.ts";

/**
 * The functions of a statement that are called with a parameter of no stated type. PostgreSQL then looks for the one
 * function of that name that could be meant, and an extension may bring a second: Citus has `pg_cancel_backend` for
 * bigint beside integer, so that `pg_cancel_backend($1)` is ambiguous there.
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
