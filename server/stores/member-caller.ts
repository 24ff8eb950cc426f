import { type Role, roleScopes } from "../../contract/roles.ts";
import type { CalledBy, Caller, Store } from "../platform/caller.ts";
import { Problem } from "../platform/problems.ts";

const scopesOf = {
  analyst: new Set(roleScopes.analyst),
  editor: new Set(roleScopes.editor),
  owner: new Set(roleScopes.owner),
};

type PersonCalling = Extract<CalledBy, { kind: "person" }>;

/** A person who calls about a store, with the permissions of their role there. */
export const callerOf = (
  person: PersonCalling["person"],
  store: Store,
  { role, supportUntil, token }: { role: Role } & Pick<PersonCalling, "token" | "supportUntil">,
): Caller => ({
  store,
  admin: person.email,
  scopes: scopesOf[role],
  by: {
    ...{ kind: "person", person, role, support: supportUntil !== undefined },
    ...(supportUntil ? { supportUntil } : {}),
    ...(token ? { token } : {}),
  },
});

/** For an operator who is in a store neither as its member nor as support [dashboard-api.support]. */
export const lacksSupport = (): Problem =>
  new Problem("insufficient_role", {
    detail: "You do not belong to this store; sign in to it as support first",
    extra: { required: ["support"] },
  });
