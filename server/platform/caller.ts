import type { Plan, StoreAllowances } from "../../contract/limits.ts";
import type { Role } from "../../contract/roles.ts";
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
  /** of a test twin: the UUID of the store whose twin it is */
  testOf?: string;
  /** of a test twin: how far its calendar was moved, in ms */
  clockAheadMs?: number;
}

/** How long a password, a code or a link that was given counts [dashboard-api.password-again, accounts.confirm]. */
export const confirmedMs = 10 * 60 * 1_000;

/** A person who is signed in to the dashboard. */
export interface SignedIn {
  /** UUID */
  userId: string;
  email: string;
  name: string;
  /** sees every store, and makes new ones */
  operator: boolean;
  sessionId: string;
  /** calendar milliseconds of the last time that the person proved to be it: by password, code or one-time link */
  confirmedAt: number;
  /** by UUID of the store */
  roles: ReadonlyMap<string, Role>;
  /** a Set-Cookie header that is due with the answer: the session goes on under another token */
  renewedCookie?: string;
}

/** A key of the store, or a person who belongs to it. */
export type CalledBy =
  | {
      kind: "key";
      /** UUID */
      keyId: string;
      /** the program says that an AI assistant acts by it: changes are written down as that one's [drafts.history] */
      isAssistant?: boolean;
    }
  | {
      kind: "person";
      person: Pick<SignedIn, "userId" | "email">;
      role: Role;
      /** an operator who helps a store that is not theirs */
      support: boolean;
      /** of a program that acts for the person by a token of theirs */
      token?: {
        /** UUID */
        id: string;
        /** as for keys */
        isAssistant?: boolean;
      };
    };

/** Who calls about one store: a program by its key, or a signed-in person. */
export interface Caller {
  store: Store;
  /** whose name a change is recorded under: the admin under whose account a key acts, or the person's address */
  admin: string;
  scopes: ReadonlySet<Scope>;
  by: CalledBy;
}

/** Turns an Authorization header into a caller; throws 401, whatever the store's plan. */
export type Authenticate = (authorization: string | undefined, deadline: Deadline) => Promise<Caller>;

/** The same by a person's token; throws 401. Null: the header carries none, but perhaps a key. */
export type AuthenticateToken = (authorization: string | undefined, deadline: Deadline) => Promise<Caller> | null;

/** Whoever is signed in by a Cookie header; null: nobody. */
export type AuthenticatePerson = (cookie: string | undefined, deadline: Deadline) => Promise<SignedIn | null>;
