import type { AnalyticsQuestion, AnswersAnswer, BucketRow, OptionRow } from "../../../contract/analytics-answers.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import { kindsOf, valueOfText } from "../../../engine/kinds/value.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, type Statement, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import { within } from "./days.ts";
import { type DefinedPage, type DefinedQuestion, definitionOf, type QuizSelection } from "./definition.ts";
import { distinct } from "./distinct.ts";
import { insideWindow, money, rate } from "./figures.ts";
import { bucketOf, bucketSql, endOf, type Width, widthFor } from "./number-buckets.ts";
import { narrowed, ofQuiz, type Scope, scopeOf, whole } from "./scope.ts";

/**
 * The answers to one question and what became of the shoppers: covers sessions that answered it in the range, by their
 * last answer [answers.cohort]. Outcomes count whenever they happened; orders only within the store's window
 * [answers.outcomes]. Removed questions are not listed, but can be requested [answers.questions]. Throws 422 if the key
 * does not belong to a choice, image or number question of the quiz [answers.unknown-question].
 *
 * @param componentKey null for the first question
 */
export async function answers(
  query: CopyQuery,
  db: StoreRunner,
  selection: QuizSelection,
  componentKey: string | null,
): Promise<FiguresOf<AnswersAnswer>> {
  const { quizId, store } = selection;
  const known = askableOf((await definitionOf(db, quizId)).pages);
  const chosen =
    componentKey === null
      ? known.find(isPresent)
      : known.find(({ question }) => question.component_key === componentKey);
  if (componentKey !== null && !chosen)
    throw invalid("query.component_key", "is not a choice, image or number question of the quiz");
  const body = {
    quiz_id: formatId("quiz", quizId),
    currency: store.currency,
    questions: known.filter(isPresent).map(described),
    question: chosen ? described(chosen) : null,
  };
  if (!chosen) return { ...body, answered: 0, options: [], buckets: [], summary: null };
  const scope = await scopeOf(query, selection);
  const part: Part = { selection, scope, questions: await numbersOf(query, scope, chosen.question) };
  if (isNumber(chosen.question)) return { ...body, options: [], ...(await numberFigures(query, part)) };
  return { ...body, buckets: [], summary: null, ...(await choiceFigures(query, part, chosen.question)) };
}

interface Askable {
  page: DefinedPage;
  question: DefinedQuestion;
}

/** Kinds whose answers have figures, by their value. */
const askableKinds = kindsOf("options", "number");

const askableOf = (pages: readonly DefinedPage[]): Askable[] =>
  pages.flatMap((page) =>
    page.components
      .filter(({ kind }) => (askableKinds as readonly string[]).includes(kind))
      .map((question) => ({ page, question })),
  );

const isPresent = ({ question }: Askable): boolean => !question.removed;

const described = ({ page, question }: Askable): AnalyticsQuestion => ({
  component_key: question.component_key,
  page_key: page.page_key,
  question: question.question,
  page_title: page.title,
  kind: isNumber(question) ? "number" : "choice",
});

const isNumber = ({ kind }: DefinedQuestion): boolean => valueOfText(kind) === "number";

interface Part {
  selection: QuizSelection;
  scope: Scope;
  /** the question's numbers in the copy: one for each page that it was on in some version */
  questions: readonly number[];
}

/** A choice question that became an image question is still the same question. */
async function numbersOf(query: CopyQuery, scope: Scope, question: DefinedQuestion): Promise<number[]> {
  const kinds: readonly string[] = isNumber(question) ? kindsOf("number") : kindsOf("options");
  const rows = await query(sql<{ question: number }>`SELECT q.question FROM questions AS q
    WHERE ${ofQuiz(scope, "q")} AND q.component_key = ${question.component_key} AND q.kind IN (${joined(kinds.map((kind) => sql`${kind}`))})`);
  return rows.map((row) => row.question);
}

/**
 * Condition on answers `a`: given in the range, to this question. The copy holds each session's last answer
 * [answers.cohort].
 */
function answeredInRange({ selection, questions }: Part): Statement {
  const list = questions.length === 0 ? raw("NULL") : joined(questions.map(whole));
  return sql`a.question IN (${list}) AND ${within(selection.range, "a.answered")}`;
}

interface OutcomesRow {
  sessions: number;
  completed: number;
  buyers: number;
  answer_orders: number;
  opted_in: number;
  revenue: string | null;
}

/** Counts answers and what became of their sessions, grouped by an expression over `answers` as `a`. */
function outcomes(part: Part, by: Statement): Statement {
  const { selection, scope } = part;
  return sql`
    SELECT ${by} AS answer, count(*) AS sessions, count_if(a.completed) AS completed, count(b.session) AS buyers,
      coalesce(sum(b.orders), 0) AS answer_orders, count_if(a.opted_in) AS opted_in, sum(b.revenue) AS revenue
    FROM answers AS a ${narrowed(scope)}
    LEFT JOIN (
      SELECT o.session, count(*) AS orders, sum(o.total) FILTER (WHERE o.in_currency) AS revenue
      FROM orders AS o WHERE ${ofQuiz(scope, "o")} AND ${insideWindow(selection.store, "o")} GROUP BY o.session
    ) AS b USING (session)
    WHERE ${answeredInRange(part)}
    GROUP BY answer`;
}

const outcomeFields = (row: OutcomesRow | undefined, currency: string) => {
  const { sessions = 0, completed = 0, buyers = 0, answer_orders = 0, opted_in = 0, revenue = null } = row ?? {};
  return {
    completed,
    buyers,
    answer_orders,
    opted_in,
    completion_rate: rate(completed, sessions),
    buyer_rate: rate(buyers, sessions),
    opt_in_rate: rate(opted_in, sessions),
    answer_revenue: money(revenue, currency),
  };
};

/** The current options in their order, then removed ones that were chosen [answers.removed-options]. */
async function choiceFigures(query: CopyQuery, part: Part, question: DefinedQuestion) {
  const [answered, chosen] = await Promise.all([readAnswered(query, part), readOptions(query, part)]);
  const { currency } = part.selection.store;
  const options = question.options
    .filter(({ option_id, removed }) => !removed || chosen.has(option_id))
    .map(({ option_id, label, image_url, removed }): OptionRow => {
      const row = chosen.get(option_id);
      const chose = row?.sessions ?? 0;
      return {
        option_id,
        label,
        kind: question.kind === "image" ? "image" : "choice",
        image_url,
        removed,
        chose,
        chose_share: rate(chose, answered),
        ...outcomeFields(row, currency),
      };
    });
  return { answered, options };
}

/** Counts sessions, since a session that chose several options answered once. */
async function readAnswered(query: CopyQuery, part: Part): Promise<number> {
  const sessions = await distinct(query, {
    column: "a.session",
    of: { table: "answers", column: "session" },
    groups: whole(1),
  });
  const [row] = await query(
    sql<{
      answered: number;
    }>`SELECT ${sessions()} AS answered FROM answers AS a ${narrowed(part.scope)} WHERE ${answeredInRange(part)}`,
  );
  return row?.answered ?? 0;
}

/** By option id, since an option has one number for each number of its question. */
async function readOptions(query: CopyQuery, part: Part): Promise<ReadonlyMap<string, OutcomesRow>> {
  const rows = await query(sql<OutcomesRow & { option_id: string }>`
    SELECT n.option_id, sum(c.sessions) AS sessions, sum(c.completed) AS completed, sum(c.buyers) AS buyers,
      sum(c.answer_orders) AS answer_orders, sum(c.opted_in) AS opted_in, CAST(sum(c.revenue) AS VARCHAR) AS revenue
    FROM (${outcomes(part, raw('a."option"'))}) AS c JOIN options AS n ON n."option" = c.answer
    GROUP BY n.option_id`);
  return new Map(rows.map((row) => [row.option_id, row]));
}

interface SpreadRow {
  count: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  median: number | null;
  whole: boolean | null;
}

/** Count, minimum, maximum, mean and median of the answers; null without answers [answers.number-summary]. */
async function numberFigures(query: CopyQuery, part: Part) {
  const [down, up] = [raw(2 ** -64), raw(2 ** 64)];
  // favg compensates rounding; otherwise the mean of fractions would depend on which thread read which rows. Scaling by
  // a power of two changes no digit, and keeps even a sum of the largest doubles in range.
  const [row] = await query(sql<SpreadRow>`
    SELECT count(*) AS count, min(a.number) AS min, max(a.number) AS max, favg(a.number * ${down}) * ${up} AS mean,
      median(a.number * ${down}) * ${up} AS median,
      bool_and(a.number = trunc(a.number)) AS whole
    FROM answers AS a ${narrowed(part.scope)} WHERE ${answeredInRange(part)} AND a.number IS NOT NULL`);
  if (!row || row.min === null || row.max === null || row.mean === null || row.median === null) {
    return { answered: 0, buckets: [], summary: null };
  }
  const { count, min, max, mean, median } = row;
  const width = widthFor({ min, max, whole: row.whole === true });
  const rows = await readBuckets(query, part, width);
  const first = bucketOf(min, width);
  const buckets = Array.from({ length: bucketOf(max, width) - first + 1 }, (_, index) =>
    bucketRow(first + index, width, rows.get(first + index), count, part.selection.store.currency),
  );
  return { answered: count, buckets, summary: { count, min, max, mean, median } };
}

async function readBuckets(query: CopyQuery, part: Part, width: Width): Promise<ReadonlyMap<number, OutcomesRow>> {
  const rows = await query(sql<
    OutcomesRow & { answer: number }
  >`SELECT answer, * REPLACE (CAST(revenue AS VARCHAR) AS revenue)
    FROM (${outcomes(part, bucketSql("a.number", width))}) AS c WHERE answer IS NOT NULL`);
  return new Map(rows.map((row) => [row.answer, row]));
}

function bucketRow(
  bucket: number,
  width: Width,
  row: OutcomesRow | undefined,
  all: number,
  currency: string,
): BucketRow {
  const low = endOf(bucket, width);
  const high = endOf(bucket + 1, width);
  const answered = row?.sessions ?? 0;
  return {
    label: `${low}–${high}`,
    low,
    high,
    answered,
    answered_share: rate(answered, all),
    ...outcomeFields(row, currency),
  };
}
