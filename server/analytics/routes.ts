import {
  type CommonQuery,
  compareQuizzes,
  getQuizAnswers,
  getQuizBreakdown,
  getQuizFunnel,
  getQuizOverview,
  getQuizPaths,
  getQuizProducts,
  getQuizTraffic,
  getStoreBreakdown,
  getStoreOverview,
  getStoreProducts,
  getSummary,
} from "../../contract/analytics.ts";
import type { Operation } from "../../contract/operation.ts";
import { type Request, type Route, readRoute } from "../platform/http/operations.ts";
import { parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { hasQuiz } from "../quizzes/public.ts";
import { computed, type Questions } from "./all-questions.ts";
import { Answers, type AnswersDeps, type LiveReader } from "./answers.ts";
import type { Question } from "./question.ts";
import type { QuizSelection } from "./questions/definition.ts";
import { Ranges, rangeBody } from "./range.ts";
import { readPeriod, readSelection } from "./read-selection.ts";
import type { Selection } from "./selection.ts";
import {
  zeroAnswers,
  zeroBreakdown,
  zeroComparison,
  zeroFunnel,
  zeroOverview,
  zeroPaths,
  zeroProducts,
  zeroSummary,
  zeroTraffic,
} from "./zero.ts";

/** The analytics routes of a store and its quizzes [analytics.questions]. */

/**
 * A request of any analytics operation except the summary. TypeScript cannot see that a generic operation's query
 * includes `CommonQuery`, hence the casts below; the contract builds all these queries from it.
 */
type Common = Request<Operation> & { query: CommonQuery };
type Put<Op extends Operation> = Pick<Question<Op>, "own" | "compute" | "zero">;

/** Signed-in people watch figures; keys only request them. */
const liveReaderOf = ({ caller, headers }: Pick<Request<Operation>, "caller" | "headers">): LiveReader | null =>
  caller.by.kind === "person" ? { seen: headers["if-none-match"] } : null;

/** Parses requests into questions and has them answered. */
class QuestionReader {
  readonly #answers: Answers;
  readonly #options: AnswersDeps;
  readonly #ranges = new Ranges();

  constructor(options: AnswersDeps) {
    this.#options = options;
    this.#answers = new Answers(options);
  }

  /** A question about the whole store. */
  ofStore<Op extends Operation>(
    operation: Op,
    put: (selection: Selection, query: Request<Op>["query"]) => Put<Op>,
  ): Route {
    return readRoute(operation, async (request) => {
      // safe: the contract builds every query here from `CommonQuery`
      const selection = this.#selection(request as unknown as Common, null);
      const question = { operation, selection, ...put(selection, request.query) };
      return this.#answers.answer(question, request.deadline, liveReaderOf(request));
    });
  }

  /** A question about one quiz. Throws 404 for an unknown quiz, before anything is computed. */
  ofQuiz<Op extends Operation>(
    operation: Op,
    put: (selection: QuizSelection, query: Request<Op>["query"]) => Put<Op>,
  ): Route {
    return readRoute(operation, async (request, db) => {
      const { params } = request;
      const quizId = parseId("quiz", params["quiz_id"] ?? "");
      // refused parameters come before an unknown quiz [analytics.missing-quiz]; the cast as above
      const selection = this.#selection(request as unknown as Common, quizId);
      if (quizId === null || !(await hasQuiz(db, quizId))) throw notFound();
      const question = { operation, selection, ...put({ ...selection, quizId }, request.query) };
      return this.#answers.answer(question, request.deadline, liveReaderOf(request));
    });
  }

  /** The summary; its range is a period that ends today. */
  ofPeriod(summary: Questions["summary"]): Route {
    return readRoute(getSummary, async (request) => {
      const { caller, query, deadline } = request;
      const { period = "7d" } = query;
      const selection = readPeriod(this.#ranges, caller.store, query, this.#options.calendar.now());
      const previous = this.#ranges.before(selection.range);
      const about = { period, previous_range: rangeBody(previous) };
      const question: Question<typeof getSummary> = {
        operation: getSummary,
        selection,
        own: period,
        compute: async (facts, db) => ({ ...about, ...(await summary(facts, db, selection, previous)) }),
        zero: () => ({ ...about, ...zeroSummary(selection) }),
      };
      return this.#answers.answer(question, deadline, liveReaderOf(request));
    });
  }

  #selection({ caller, query }: Common, quizId: string | null): Selection {
    const selection = readSelection(this.#ranges, caller.store, quizId, query, this.#options.calendar.now());
    return { ...selection, contacts: caller.scopes.has("profiles:read") };
  }
}

/** The routes of every question in the contract. Tests pass other `questions` to replace how figures are computed. */
export function analyticsRoutes(options: AnswersDeps, questions: Questions = computed): Route[] {
  const { summary, comparison, overview, answers, funnel, breakdown, paths, products, traffic } = questions;
  const reader = new QuestionReader(options);

  const overviewOf = (selection: Selection): Put<typeof getStoreOverview> => ({
    own: null,
    compute: (facts, db) => overview(facts, db, selection),
    zero: () => zeroOverview(selection),
  });
  const breakdownOf = (
    selection: Selection,
    { by }: Request<typeof getStoreBreakdown>["query"],
  ): Put<typeof getStoreBreakdown> => ({
    own: by,
    compute: (facts, db) => breakdown(facts, db, selection, by),
    zero: () => zeroBreakdown(selection, by),
  });
  const productsOf = (
    selection: Selection,
    query: Request<typeof getStoreProducts>["query"],
  ): Put<typeof getStoreProducts> => {
    const { limit = 50, sort = "revenue", bucket = null } = query;
    const own = { limit, sort, bucket };
    return {
      own: { ...own, contacts: selection.contacts },
      compute: (facts, db) => products(facts, db, selection, own),
      zero: () => zeroProducts(selection, own),
    };
  };

  return [
    reader.ofPeriod(summary),
    reader.ofStore(compareQuizzes, (selection, { q = null, limit = 25, offset = 0, sort = "name", dir = "asc" }) => {
      const own = { q, limit, offset, sort, dir };
      return { own, compute: (facts, db) => comparison(facts, db, selection, own), zero: () => zeroComparison(own) };
    }),
    reader.ofStore(getStoreOverview, overviewOf),
    reader.ofStore(getStoreBreakdown, breakdownOf),
    reader.ofStore(getStoreProducts, productsOf),
    reader.ofQuiz(getQuizOverview, overviewOf),
    reader.ofQuiz(getQuizAnswers, (selection, { component_key: key = null }) => ({
      own: key,
      compute: (facts, db) => answers(facts, db, selection, key),
      zero: () => zeroAnswers(selection),
    })),
    reader.ofQuiz(getQuizFunnel, (selection) => ({
      own: null,
      compute: (facts, db) => funnel(facts, db, selection),
      zero: () => zeroFunnel(selection),
    })),
    reader.ofQuiz(getQuizBreakdown, breakdownOf),
    reader.ofQuiz(getQuizPaths, (selection, { cohort = "all" }) => ({
      own: cohort,
      compute: (facts, db) => paths(facts, db, selection, cohort),
      zero: () => zeroPaths(selection, cohort),
    })),
    reader.ofQuiz(getQuizProducts, productsOf),
    reader.ofQuiz(getQuizTraffic, (selection, { by = "referrer_host", limit = 25 }) => ({
      // answers with and without contacts are kept apart [api.masked-contacts]
      own: [by, limit, selection.contacts],
      compute: (facts, db) => traffic(facts, db, selection, by, limit),
      zero: () => zeroTraffic(selection, by),
    })),
  ];
}
