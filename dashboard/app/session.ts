import { createContext, useContext } from "react";
import { roleScopes } from "../../contract/roles.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Me } from "../api/generated.ts";
import type { Member, StoreOfMe } from "./account-types.ts";

/** Who is signed in, and which store they are viewing. */

export interface Session {
  me: Me;
  /** asks the server again who is signed in */
  refresh(): Promise<unknown>;
  signOut(): Promise<void>;
}

export const SessionContext = createContext<Session | null>(null);
export const StoreContext = createContext<StoreOfMe | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("nobody is signed in here");
  return session;
}

export const useMe = (): Me => useSession().me;

/** null: the person belongs to no store. */
export const useStoreOrNull = (): StoreOfMe | null => useContext(StoreContext);

export function useMember(): Member {
  const store = useContext(StoreContext);
  if (store === null) throw new Error("there is no store here");
  return memberOf(store);
}

export function memberOf(store: StoreOfMe): Member {
  const scopes = new Set<Scope>(roleScopes[store.role]);
  return { role: store.role, scopes, contacts: scopes.has("profiles:read"), store };
}

export const may = ({ scopes }: Member, scope: Scope): boolean => scopes.has(scope);
