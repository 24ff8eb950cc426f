import type { Operation } from "../../contract/operation.ts";
import { rolesFrom, rolesWith } from "../../contract/roles.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Caller } from "./caller.ts";
import { Problem } from "./problems.ts";

/** Throws 403: `insufficient_scope` for a key, `insufficient_role` for a person [api.scopes, dashboard-api.roles]. */
export function assertScope({ scopes, by }: Caller, scope: Scope): void {
  if (scopes.has(scope)) return;
  if (by.kind === "key") throw new Problem("insufficient_scope", { extra: { required: [scope] } });
  throw new Problem("insufficient_role", { extra: { required: rolesWith(scope) } });
}

/** Throws 403 unless the caller's role in the store and scopes suffice for the operation. */
export function assertRights({ access, scope }: Pick<Operation, "access" | "scope">, caller: Caller): void {
  if (access?.to === "member" && caller.by.kind === "person") {
    const required = rolesFrom(access.role);
    if (!required.includes(caller.by.role)) throw new Problem("insufficient_role", { extra: { required } });
  }
  if (scope) assertScope(caller, scope);
}
