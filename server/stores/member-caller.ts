import { type Role, roleScopes } from "../../contract/roles.ts";
import type { CalledBy, Caller, Store } from "../platform/caller.ts";

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
  { role, support = false, ...token }: { role: Role; support?: boolean } & Pick<PersonCalling, "token">,
): Caller => ({
  store,
  admin: person.email,
  scopes: scopesOf[role],
  by: { kind: "person", person, role, support, ...token },
});
