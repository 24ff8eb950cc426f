import type { ProfileSearch } from "../../../contract/search.ts";

/** A profile search after its body was read: what is asked, with nothing left that could be wrong by itself. */

export type Range<Value> =
  | { op: "eq" | "lt" | "gt"; value: Value }
  /** both ends included */
  | { op: "between"; min: Value; max: Value };

/** A question or formula: known by its component within a quiz; the page says where the asker has seen it. */
export interface Placed {
  pageKey: string;
  componentKey: string;
}

export type Condition =
  | (Placed & { kind: "choice"; op: "in" | "not_in"; optionIds: string[]; optionLabels: string[] })
  | (Placed & { kind: "number"; range: Range<number> })
  | (Placed & { kind: "formula"; range: Range<number> })
  /** days as `YYYY-MM-DD` */
  | (Placed & { kind: "date"; range: Range<string> })
  | (Placed & { kind: "text"; op: "contains" | "equals" | "matches"; text: string })
  | (Placed & { kind: "text" | "email" | "phone"; op: "answered" | "not_answered" })
  | { kind: "points"; dimensionId: string; range: Range<number> }
  | { kind: "winner"; dimensionIds: string[] }
  | { kind: "session"; completed: boolean; pageKey: string | null };

export interface Term {
  /** dotted path in the request, for refusals that need the quiz to be known */
  field: string;
  /** UUID */
  quizId: string;
  condition: Condition;
}

/** Undefined: whichever. */
export type PersonConditions = Pick<
  ProfileSearch,
  "has_email" | "has_phone" | "has_order" | "has_marketing_consent" | "is_returning"
>;

/** What one session has to meet, all of it [people.days]; days in UTC, both included. */
export interface SessionSpan {
  from: string | null;
  to: string | null;
  /** UUID */
  quizId: string | null;
}

export interface Search {
  person: PersonConditions;
  span: SessionSpan;
  /** only the newest completed session of each quiz counts [search.takes] */
  latestOnly: boolean;
  /** an OR of groups; a group: each slot holds; a slot: one of its terms holds. Without a group: no restriction */
  groups: Term[][][];
}
