import { rolesWith } from "../../contract/roles.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Caller } from "./caller.ts";
import { Problem } from "./problems.ts";

/** Throws 403: `insufficient_scope` for a key, `insufficient_role` for a person [api.scopes, dashboard-api.roles]. */
export function assertScope({ scopes, by }: Caller, scope: Scope): void {
  if (scopes.has(scope)) return;
  if (by.kind === "key") throw new Problem("insufficient_scope", { extra: { required: [scope] } });
  throw new Problem("insufficient_role", { extra: { required: rolesWith(scope) } });
}
