import type { Plan, StoreAllowances } from "../../contract/limits.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Deadline } from "./deadline.ts";

/** The store behind a request, as far as more than one slice needs it. */
export interface Store {
  /** UUID */
  id: string;
  name: string;
  shopDomain: string;
  plan: Plan;
  currency: string;
  timezone: string;
  /** the plan's numbers with the store's own overrides laid over them */
  allowances: StoreAllowances;
}

/** Who calls `/v1`: one key of one store. */
export interface Caller {
  store: Store;
  /** UUID */
  keyId: string;
  /** the admin under whose account the key acts */
  admin: string;
  scopes: ReadonlySet<Scope>;
}

/**
 * Turns an Authorization header into a caller; throws 401, whatever the store's plan. Plain where the answer is at
 * hand.
 */
export type Authenticate = (authorization: string | undefined, deadline: Deadline) => Caller | Promise<Caller>;
