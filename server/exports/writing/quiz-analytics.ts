import type { SeriesPoint } from "../../../contract/analytics-answers.ts";
import { type Days, daysBetween, firstOpened, quizDays } from "../../analytics/public.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { formatId, parseId } from "../../platform/ids.ts";
import { dayIn } from "../../platform/time-zones.ts";
import type { Column } from "./csv.ts";
import type { WriteDataset } from "./dataset.ts";
import type { BuildContext } from "./deps.ts";
import { zoneOf } from "./span.ts";

export interface AnalyticsRow extends SeriesPoint {
  quiz_id: string;
  quiz_name: string;
}

const amount = (money: { amount: string } | null | undefined) => (money ? { asIs: money.amount } : null);

/**
 * One row per quiz and day [exports.quiz-analytics]: the quiz, and that day's point of its overview. The order of
 * columns is fixed; new ones are added at the end. Money is an amount in the single `currency`.
 */
export const analyticsColumns: readonly Column<AnalyticsRow>[] = [
  { name: "quiz_id", cell: (row) => row.quiz_id },
  { name: "quiz_name", cell: (row) => row.quiz_name },
  { name: "day", cell: (row) => row.day },
  { name: "views", cell: (row) => row.views },
  { name: "unique_viewers_approx", cell: (row) => row.unique_viewers_approx },
  { name: "starts", cell: (row) => row.starts },
  { name: "completions", cell: (row) => row.completions },
  { name: "email_opt_ins", cell: (row) => row.email_opt_ins },
  { name: "phone_opt_ins", cell: (row) => row.phone_opt_ins },
  { name: "consent_denied", cell: (row) => row.consent_denied },
  { name: "orders", cell: (row) => row.orders },
  { name: "orders_inside_window", cell: (row) => row.orders_inside_window },
  { name: "avg_time_to_complete_ms", cell: (row) => row.avg_time_to_complete_ms },
  { name: "median_time_to_complete_ms", cell: (row) => row.median_time_to_complete_ms },
  { name: "currency", cell: (row) => row.revenue?.currency ?? null },
  { name: "revenue", cell: (row) => amount(row.revenue) },
  { name: "revenue_added_from_quiz", cell: (row) => amount(row.revenue_by_bucket?.added_from_quiz) },
  { name: "revenue_shown_bought_later", cell: (row) => amount(row.revenue_by_bucket?.shown_bought_later) },
  { name: "revenue_bought_not_shown", cell: (row) => amount(row.revenue_by_bucket?.bought_not_shown) },
  { name: "refunded", cell: (row) => amount(row.refunded) },
  { name: "net_revenue", cell: (row) => amount(row.net_revenue) },
];

/**
 * Ordered by quiz name, then by day. Without `from` the days begin when any of the quizzes was first opened; they end
 * with `to`, but not after today. All figures come from one state of the columnar copy, which counts as one of its
 * running questions all that time: some milliseconds per quiz.
 */
export async function writeAnalytics(context: BuildContext, write: WriteDataset): Promise<void> {
  const { deps, store, limits, pace, deadline } = context;
  const quizzes = await selectedQuizzes(context);
  let begun = false;
  await deps.facts.read(
    store.id,
    async (query) => {
      // a damaged copy is rebuilt and read again, but half a file has already been written from it
      if (begun) throw new Error("the columnar copy was damaged while a file was built from it");
      begun = true;
      const days = await selectedDays(context, query, quizzes);
      await write<AnalyticsRow>({
        columns: analyticsColumns,
        read: async (add) => {
          let unrested = 0;
          for (const { id, name } of days === null ? [] : quizzes) {
            const points = days === null ? [] : await quizDays(query, store, id, days);
            await add(points.map((point) => ({ quiz_id: formatId("quiz", id), quiz_name: name, ...point })));
            unrested += points.length;
            if (unrested < limits.pageRows) continue;
            unrested = 0;
            await pace.afterPage();
          }
        },
      });
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
