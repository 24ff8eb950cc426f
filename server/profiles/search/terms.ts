import type { ProfileSearch } from "../../../contract/search.ts";

/** A profile search after parsing. It is consistent in itself; what it names may still not exist. */

export type Range<Value> =
  | { op: "eq" | "lt" | "gt"; value: Value }
  /** both ends inclusive */
  | { op: "between"; min: Value; max: Value };

/** A question or formula. The component key identifies it within a quiz; the page is where the client has seen it. */
export interface Placed {
  pageKey: string;
  componentKey: string;
}

export type Condition =
  | (Placed & { kind: "choice"; op: "in" | "not_in"; optionIds: string[]; optionLabels: string[] })
  | (Placed & { kind: "number"; range: Range<number> })
  | (Placed & { kind: "formula"; range: Range<number> })
  /** days in the form `YYYY-MM-DD` */
  | (Placed & { kind: "date"; range: Range<string> })
  | (Placed & { kind: "text"; op: "contains" | "equals" | "matches"; text: string })
  | (Placed & { kind: "text" | "email" | "phone"; op: "answered" | "not_answered" })
  | { kind: "points"; dimensionId: string; range: Range<number> }
  | { kind: "winner"; dimensionIds: string[] }
  | { kind: "session"; ending: Ending; pageKey: string | null };

/** Whether a session finished or was abandoned, or the result that it finished with, as `by=outcome` has it. */
export type Ending = "completed" | "abandoned" | { outcome: string };

export interface Term {
  /** dotted path in the request, for errors that are found only once the quiz is known */
  field: string;
  /** UUID */
  quizId: string;
  condition: Condition;
}

/** undefined means no restriction */
export type PersonConditions = Pick<
  ProfileSearch,
  "has_email" | "has_phone" | "has_order" | "has_marketing_consent" | "is_returning"
>;

/** Conditions that a single session must all meet [people.days]. Days are in UTC and inclusive. */
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
  /**
   * The search is an OR of groups, a group an AND of slots, a slot an OR of terms. Without groups there is no
   * restriction.
   */
  groups: Term[][][];
}
