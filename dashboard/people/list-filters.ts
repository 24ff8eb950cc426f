import { isDay } from "./search-problems.ts";
import { type PersonFlag, personFlags, type SearchState } from "./search-state.ts";

/** The filters of the people list, in its address and in the API. */
export type PeopleFilters = { [Flag in PersonFlag]?: boolean } & {
  q?: string;
  quiz_id?: string;
  from?: string;
  to?: string;
};

const longestQuery = 200;

/** Reads filters from an address; anything else is dropped. */
export function readFilters(params: Record<string, unknown>): PeopleFilters {
  const filters: PeopleFilters = {};
  const { q } = params;
  if (typeof q === "string" && q !== "") filters.q = [...q].slice(0, longestQuery).join("");
  const quiz = params["quiz_id"];
  if (typeof quiz === "string" && /^quiz_[0-9a-f]{32}$/.test(quiz)) filters.quiz_id = quiz;
  for (const day of ["from", "to"] as const) {
    const value = params[day];
    if (typeof value === "string" && isDay(value)) filters[day] = value;
  }
  for (const flag of personFlags) {
    const value = params[flag];
    if (value === "true" || value === "false") filters[flag] = value === "true";
  }
  return filters;
}

export const isFiltered = (filters: PeopleFilters): boolean => Object.keys(filters).length > 0;

/** Why the API would refuse the days, or null. */
export const dayProblem = ({ from, to }: PeopleFilters): string | null =>
  from !== undefined && to !== undefined && from > to ? "The first day comes after the last." : null;

/** Starts a search with the list's filters; `q` has no counterpart in a search. */
export function filtersInSearch(state: SearchState, filters: PeopleFilters): SearchState {
  return {
    ...state,
    from: filters.from ?? null,
    to: filters.to ?? null,
    quizId: filters.quiz_id ?? null,
    flags: Object.fromEntries(personFlags.map((flag) => [flag, filters[flag] ?? null])) as SearchState["flags"],
  };
}

/** The reverse. */
export function filtersOfSearch({ from, to, quizId, flags }: SearchState): PeopleFilters {
  const filters: PeopleFilters = {};
  if (quizId !== null) filters.quiz_id = quizId;
  if (from !== null) filters.from = from;
  if (to !== null) filters.to = to;
  for (const flag of personFlags) {
    const value = flags[flag];
    if (value !== null) filters[flag] = value;
  }
  return filters;
}

export const flagLabels: Record<PersonFlag, { label: string; yes: string; no: string }> = {
  has_email: { label: "Email", yes: "Left an email", no: "Left no email" },
  has_phone: { label: "Phone", yes: "Left a phone number", no: "Left no phone number" },
  has_order: { label: "Orders", yes: "Has ordered", no: "Has not ordered" },
  has_marketing_consent: { label: "Consent", yes: "Agreed to marketing", no: "Did not agree to marketing" },
  is_returning: { label: "Visits", yes: "Came back", no: "Came once" },
};
