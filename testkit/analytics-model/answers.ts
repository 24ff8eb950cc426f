import type { AnswerValue } from "../../engine/document.ts";
import { echo, type Question, type Scope, scopeOf, type World } from "./asked.ts";
import { daysBetween } from "./days.ts";
import type { HistoryQuiz } from "./history.ts";
import { type Countable, optionsOfQuestion, questionsOfQuiz } from "./labels.ts";
import { mean, median, money, ratio } from "./numbers.ts";
import { moneyOrders, optedInAt, quizId, revenueOf } from "./overview.ts";
import type { WebhookSession } from "./sessions.ts";

/** Quiz answers [answers.cohort]: of the sessions that answered a question in the range, by their last answer. */

export interface Answered {
  session: WebhookSession;
  value: AnswerValue;
}

export function answersInRange(scope: Scope, component_key: string): Answered[] {
  return scope.sessions.flatMap((session) => {
    const answer = session.answers.get(component_key);
    return answer && scope.inRange(answer.at) ? [{ session, value: answer.value }] : [];
  });
}

/** Outcomes of sessions, whenever they happened. */
function outcomes(scope: Scope, sessions: readonly WebhookSession[]) {
  const orders = scope.orders.filter((order) => order.insideWindow && sessions.includes(order.session));
  const completed = sessions.filter((session) => session.completed !== null).length;
  const buyers = new Set(orders.map((order) => order.session)).size;
  const opted_in = sessions.filter((session) => optedInAt(session) !== null).length;
  return {
    completed,
    buyers,
    answer_orders: orders.length,
    opted_in,
    completion_rate: ratio(completed, sessions.length),
    buyer_rate: ratio(buyers, sessions.length),
    opt_in_rate: ratio(opted_in, sessions.length),
    answer_revenue: money(revenueOf(moneyOrders(orders)), scope.world.history.currency),
  };
}

const questionBody = ({ page, component }: Countable) => ({
  component_key: component.component_key,
  page_key: page.page_key,
  question: component.question,
  page_title: page.title,
  kind: component.kind === "number" ? "number" : "choice",
});

/** Everything but the buckets, of which only the form is promised: `bucketRow` recounts each. */
export function answers(world: World, asked: Question & { quiz: number }, component_key: string | null) {
  const scope = scopeOf(world, asked);
  const quiz = world.history.quizzes[asked.quiz];
  if (!quiz) throw new Error("no such quiz");
  const questions = questionsOfQuiz(quiz);
  const question = questions.find(({ component }) => component.component_key === component_key) ?? questions[0];
  const given = question ? answersInRange(scope, question.component.component_key) : [];
  return {
    quiz_id: quizId(world, asked),
    ...echo(scope, daysBetween(asked.from, asked.to).length),
    currency: world.history.currency,
    questions: questions.map(questionBody),
    question: question ? questionBody(question) : null,
    answered: given.length,
    options: question && question.component.kind !== "number" ? optionRows(scope, quiz, question, given) : [],
    summary: question?.component.kind === "number" ? numericSummary(numbersIn(given)) : null,
  };
}

function optionRows(scope: Scope, quiz: HistoryQuiz, { component }: Countable, given: readonly Answered[]) {
  return optionsOfQuestion(quiz, component.component_key)
    .map(({ thing: { option_id, label, image_url, kind }, removed }) => {
      const sessions = given
        .filter(({ value }) => "option_ids" in value && value.option_ids.includes(option_id))
        .map(({ session }) => session);
      const chose = sessions.length;
      const rates = { chose_share: ratio(chose, given.length), ...outcomes(scope, sessions) };
      return { option_id, label, kind, image_url, removed, chose, ...rates };
    })
    .filter(({ removed, chose }) => !removed || chose > 0);
}

const numberOf = ({ value }: Answered): number | null =>
  "value" in value && typeof value.value === "number" ? value.value : null;

export const numbersIn = (given: readonly Answered[]): number[] =>
  given.flatMap((answered) => numberOf(answered) ?? []);

function numericSummary(numbers: readonly number[]) {
  if (numbers.length === 0) return null;
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  return { count: numbers.length, min, max, mean: mean(numbers), median: median(numbers) };
}

/** The figures of the bucket `[low, high)`. */
export function bucketRow(scope: Scope, all: readonly Answered[], low: number, high: number) {
  const inside = all.filter((answered) => {
    const number = numberOf(answered);
    return number !== null && low <= number && number < high;
  });
  const own = outcomes(
    scope,
    inside.map(({ session }) => session),
  );
  return { low, high, answered: inside.length, answered_share: ratio(inside.length, all.length), ...own };
}
