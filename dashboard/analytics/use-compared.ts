import { useEffect } from "react";
import type { DayRange, Freshness } from "../../client/src/index.ts";
import { problemOf } from "../app/problems.ts";
import { type Days, rangeBefore } from "./days.ts";
import type { Question } from "./questions.ts";
import { type AnalyticsSearch, type CommonQuery, commonQuery, withoutRefused } from "./url-state.ts";
import { type QuestionQuery, useQuestion } from "./use-question.ts";

/** The fields that every answer has. */
interface Answered {
  range: DayRange;
  freshness: Freshness;
}

/** What the line above the charts shows about the answers. */
export interface Shown extends Answered {
  /** why the requested previous period could not be loaded; else null */
  beforeFailed: { error: unknown; retry: () => unknown } | null;
}

/** The displayed days and filters, as an export request takes them. */
export const exportFilters = (shown: Shown | null, quizId: string | null) => ({
  quiz_id: quizId,
  ...(shown ? { from: shown.range.start, to: shown.range.end, tz: shown.range.timezone } : {}),
});

/** The props of every tab of a quiz or store. */
export interface TabProps {
  /** null: the whole store */
  quizId: string | null;
  search: AnalyticsSearch;
  setSearch: (change: AnalyticsSearch, options?: { replace?: boolean }) => void;
  zone: string;
  /** the part of file names that says what the figures are about */
  subject: string;
  onShown: (shown: Shown) => void;
}

export interface Compared<Body> {
  question: Question<Body>;
  query: QuestionQuery<Body>;
  before: Body | undefined;
  /** the figures on the screen belong to the previous request */
  busy: boolean;
  /** the name of a file with these figures, in parts */
  file: string[];
}

/** Which of the two periods a question is for. */
type Period = "now" | "before";

/**
 * Asks the same question for the displayed days and, if the address says so, for the same number of days before them
 * [dashboard-figures.compare].
 */
export function useCompared<Body extends Answered>(
  { search, setSearch, zone, subject, onShown }: TabProps,
  name: string,
  make: (query: CommonQuery, period: Period) => Question<Body>,
  options: { live?: boolean } = {},
): Compared<Body> {
  const common = commonQuery(search, zone);
  const question = make(common, "now");
  const query = useQuestion(question, options);
  const { data, error } = query;
  const days = daysOf(search, data);
  const compares = search.compare === "previous";
  const earlier = make({ ...common, ...(days ? rangeBefore(days) : {}) }, "before");
  const before = useQuestion(earlier, { enabled: compares && days !== null });
  const { error: beforeError, refetch: retry } = before;
  useEffect(() => {
    if (!data) return;
    const beforeFailed = compares && beforeError ? { error: beforeError, retry } : null;
    onShown({ range: data.range, freshness: data.freshness, beforeFailed });
  }, [data, compares, beforeError, retry, onShown]);
  // a link may hold values that the API refuses, such as days after today: drop them and show the screen
  // [dashboard-figures.address]
  useEffect(() => {
    const { status, errors } = problemOf(error);
    const fields = errors.map(({ field }) => field);
    const left = status === 422 ? withoutRefused(search, fields) : null;
    if (left) setSearch(left, { replace: true });
  }, [error, search, setSearch]);
  const isBeforeOnItsWay = before.isPlaceholderData || (before.data === undefined && !before.isError);
  return {
    question,
    query,
    before: compares ? before.data : undefined,
    busy: query.isPlaceholderData || (compares && isBeforeOnItsWay),
    file: [subject, name, ...(data ? [data.range.start, data.range.end] : [])],
  };
}

function daysOf(search: AnalyticsSearch, data: Answered | undefined): Days | null {
  if (search.from && search.to) return { from: search.from, to: search.to };
  return data ? { from: data.range.start, to: data.range.end } : null;
}
