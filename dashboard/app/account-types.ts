import type { Role } from "../../contract/roles.ts";
import type { Scope } from "../../contract/scopes.ts";

/** Who uses the dashboard, as the screens see it. */

export interface StoreOfMe {
  id: string;
  name: string;
  role: Role;
  currency: string;
  timezone: string;
  plan: string;
  /** for an operator who supports a store without being its member: when that ends */
  supportUntil?: string;
}

/** A person in a store. */
export interface Member {
  role: Role;
  scopes: ReadonlySet<Scope>;
  /** whether email addresses and phone numbers are shown */
  contacts: boolean;
  store: StoreOfMe;
}
