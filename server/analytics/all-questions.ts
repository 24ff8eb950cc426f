import { answers } from "./questions/answers.ts";
import { breakdown } from "./questions/breakdown.ts";
import { comparison } from "./questions/comparison.ts";
import { funnel } from "./questions/funnel.ts";
import { overview } from "./questions/overview.ts";
import { paths } from "./questions/paths.ts";
import { products } from "./questions/products.ts";
import { summary } from "./questions/summary.ts";
import { traffic } from "./questions/traffic.ts";

/**
 * The functions that compute each question's figures: numbers from one state of the copy, names and titles from the
 * database.
 */
export const computed = { summary, comparison, overview, answers, funnel, breakdown, paths, products, traffic };

export type Questions = typeof computed;
export type SummaryFigures = Awaited<ReturnType<typeof summary>>;
