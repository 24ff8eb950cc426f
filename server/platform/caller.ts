import type { Plan, StoreAllowances } from "../../contract/limits.ts";
import type { Role } from "../../contract/roles.ts";
import type { Scope } from "../../contract/scopes.ts";
import type { Deadline } from "./deadline.ts";

/** The store behind a request; the part that several slices need. */
export interface Store {
  /** UUID */
  id: string;
  name: string;
  shopDomain: string;
  plan: Plan;
  currency: string;
  timezone: string;
  /** the plan's limits with the store's own overrides applied */
  allowances: StoreAllowances;
  /** of a test twin: the UUID of the store whose twin it is */
  testOf?: string;
  /** of a test twin: how far its calendar was moved, in ms */
  clockAheadMs?: number;
}

/** How many ms a password, a code or a link confirms a person [dashboard-api.password-again, accounts.confirm]. */
export const confirmedMs = 10 * 60 * 1_000;

/** A person who is signed in to the dashboard. */
export interface SignedIn {
  /** UUID */
  userId: string;
  email: string;
  name: string;
  /** sees every store, and creates new ones */
  operator: boolean;
  sessionId: string;
  /**
   * calendar milliseconds of the last time that the person proved their identity: by password, code or one-time link
   */
  confirmedAt: number;
  /** by the store's UUID */
  roles: ReadonlyMap<string, Role>;
  /** a Set-Cookie header for the answer: the session continues with a new token */
  renewedCookie?: string;
}

/** A store's key, or a person who belongs to the store. */
export type CalledBy =
  | {
      kind: "key";
      /** UUID */
      keyId: string;
      /**
       * the program says that an AI assistant acts through it: changes are recorded as the assistant's [drafts.history]
       */
      isAssistant?: boolean;
    }
  | {
      kind: "person";
      person: Pick<SignedIn, "userId" | "email">;
      role: Role;
      /** an operator who supports a store without being its member */
      support: boolean;
      /** when their visit ends */
      supportUntil?: Date;
      /** set if a program acts for the person with a personal token */
      token?: {
        /** UUID */
        id: string;
        /** as for keys */
        isAssistant?: boolean;
      };
    };

/** Who makes a request about a store: a program by its key, or a signed-in person. */
export interface Caller {
  store: Store;
  /** the name that changes are recorded under: the admin of a key's account, or the person's address */
  admin: string;
  scopes: ReadonlySet<Scope>;
  by: CalledBy;
}

/** Turns an Authorization header into a caller; throws 401, whatever the store's plan. */
export type Authenticate = (authorization: string | undefined, deadline: Deadline) => Promise<Caller>;

/** The same for a personal token; throws 401. Null: the header holds no such token, but perhaps a key. */
export type AuthenticateToken = (authorization: string | undefined, deadline: Deadline) => Promise<Caller> | null;

/** The person signed in with a Cookie header; null: nobody. */
export type AuthenticatePerson = (cookie: string | undefined, deadline: Deadline) => Promise<SignedIn | null>;
