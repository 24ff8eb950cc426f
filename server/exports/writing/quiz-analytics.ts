import type { SeriesPoint } from "../../../contract/analytics-answers.ts";
import { type Days, daysBetween, firstOpened, quizDays } from "../../analytics/public.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { formatId, parseId } from "../../platform/ids.ts";
import { dayIn } from "../../platform/time-zones.ts";
import type { Column } from "./columns.ts";
import type { Part, WriteDataset } from "./dataset.ts";
import { type BuildContext, hasSheets } from "./deps.ts";
import { zoneOf } from "./span.ts";

export interface AnalyticsRow extends SeriesPoint {
  quiz_id: string;
  quiz_name: string;
}

const amount = (money: { amount: string } | null | undefined) => money?.amount ?? null;

/**
 * One row per quiz and day [exports.quiz-analytics]: the quiz, and that day's point of its overview. The order of
 * columns is fixed; new ones are added at the end. Money is an amount in the single `currency`.
 */
export const analyticsColumns: readonly Column<AnalyticsRow>[] = [
  { name: "quiz_id", type: "text", value: (row) => row.quiz_id },
  { name: "quiz_name", type: "text", value: (row) => row.quiz_name },
  { name: "day", type: "date", value: (row) => row.day },
  { name: "views", type: "integer", value: (row) => row.views },
  { name: "unique_viewers_approx", type: "integer", value: (row) => row.unique_viewers_approx },
  { name: "starts", type: "integer", value: (row) => row.starts },
  { name: "completions", type: "integer", value: (row) => row.completions },
  { name: "email_opt_ins", type: "integer", value: (row) => row.email_opt_ins },
  { name: "phone_opt_ins", type: "integer", value: (row) => row.phone_opt_ins },
  { name: "consent_denied", type: "integer", value: (row) => row.consent_denied },
  { name: "orders", type: "integer", value: (row) => row.orders },
  { name: "orders_inside_window", type: "integer", value: (row) => row.orders_inside_window },
  { name: "avg_time_to_complete_ms", type: "number", value: (row) => row.avg_time_to_complete_ms },
  { name: "median_time_to_complete_ms", type: "number", value: (row) => row.median_time_to_complete_ms },
  { name: "currency", type: "text", value: (row) => row.revenue?.currency ?? null },
  { name: "revenue", type: "decimal", value: (row) => amount(row.revenue) },
  { name: "revenue_added_from_quiz", type: "decimal", value: (row) => amount(row.revenue_by_bucket?.added_from_quiz) },
  {
    name: "revenue_shown_bought_later",
    type: "decimal",
    value: (row) => amount(row.revenue_by_bucket?.shown_bought_later),
  },
  {
    name: "revenue_bought_not_shown",
    type: "decimal",
    value: (row) => amount(row.revenue_by_bucket?.bought_not_shown),
  },
  { name: "refunded", type: "decimal", value: (row) => amount(row.refunded) },
  { name: "net_revenue", type: "decimal", value: (row) => amount(row.net_revenue) },
];

/**
 * Ordered by quiz name, then by day. Without `from` the days begin when any of the quizzes was first opened; they end
 * with `to`, but not after today. All figures come from one state of the columnar copy, which counts as one of its
 * running questions all that time: some milliseconds per quiz.
 */
export async function writeAnalytics(context: BuildContext, write: WriteDataset): Promise<void> {
  const { deps, store, limits, pace, deadline, claimed } = context;
  const quizzes = await selectedQuizzes(context);
  let begun = false;
  await deps.facts.read(
    store.id,
    async (query) => {
      // a damaged copy is rebuilt and read again, but half a file has already been written from it
      if (begun) throw new Error("the columnar copy was damaged while a file was built from it");
      begun = true;
      const days = await selectedDays(context, query, quizzes);
      let unrested = 0;
      const partOf = (name: string, some: readonly SelectedQuiz[]): Part<AnalyticsRow> => ({
        name,
        columns: analyticsColumns,
        read: async (add) => {
          for (const quiz of days === null ? [] : some) {
            const points = days === null ? [] : await quizDays(query, store, quiz.id, days);
            await add(points.map((point) => ({ quiz_id: formatId("quiz", quiz.id), quiz_name: quiz.name, ...point })));
            unrested += points.length;
            if (unrested < limits.pageRows) continue;
            unrested = 0;
            await pace.afterPage();
          }
        },
      });
      const sheets = hasSheets(claimed) ? quizzes.map((quiz) => partOf(quiz.name, [quiz])) : [];
      await write<AnalyticsRow>({ parts: sheets.length > 0 ? sheets : [partOf(claimed.dataset, quizzes)] });
    },
    deadline,
  );
}

interface SelectedQuiz {
  /** UUID */
  id: string;
  name: string;
}

/** The filtered quiz, deleted or not; otherwise all that are not deleted, as in the comparison. */
function selectedQuizzes({ deps, store, claimed, deadline }: BuildContext): Promise<SelectedQuiz[]> {
  const { quiz_id } = claimed.filters;
  const quizId = quiz_id === null ? null : parseId("quiz", quiz_id);
  return deps.database
    .reader(deadline)
    .forStore(store.id)
    .all(sql<SelectedQuiz>`
      SELECT id, name FROM quizzes
      WHERE store_id = ${ownStore} AND ${quizId === null ? sql`deleted_at IS NULL` : sql`id = ${quizId}`}
      ORDER BY name, id`);
}

/** Returns null if the file has no days. */
async function selectedDays(
  { claimed }: BuildContext,
  query: CopyQuery,
  quizzes: readonly SelectedQuiz[],
): Promise<Days | null> {
  const { filters, startedAt } = claimed;
  const zone = zoneOf(filters);
  const today = dayIn(startedAt.getTime(), zone);
  const to = filters.to === null || filters.to > today ? today : filters.to;
  const from = filters.from ?? (await firstDay(query, quizzes, zone));
  return from === null || from > to ? null : daysBetween(from, to, zone);
}

async function firstDay(query: CopyQuery, quizzes: readonly SelectedQuiz[], zone: string): Promise<string | null> {
  let first: number | null = null;
  for (const { id } of quizzes) {
    const opened = await firstOpened(query, id);
    if (opened !== null && (first === null || opened < first)) first = opened;
  }
  return first === null ? null : dayIn(first, zone);
}
