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
  /** of an operator who helps there without being one of its people: until when */
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
