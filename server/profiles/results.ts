import type { AnswerBody, LatestResult, ShownProduct } from "../../contract/profiles.ts";
import { isoTime } from "../platform/clock.ts";
import { formatId } from "../platform/ids.ts";
import type { CompiledVersion } from "../quizzes/public.ts";
import type { CatalogProduct, FinishedState, ResultRow } from "./detail-read.ts";
import type { WantedKeys, Wording } from "./wording.ts";

/** What a finished take amounts to, as 2.6 shows it. */

export interface ResultSurroundings {
  quizName: string;
  /** the one that was taken; null when it is gone */
  version: CompiledVersion | null;
  wording: Wording;
  products: ReadonlyMap<string, CatalogProduct>;
  currency: string;
}

export function latestResult(row: ResultRow, around: ResultSurroundings): LatestResult {
  const { answers, outcome } = row.state;
  return {
    quiz_id: formatId("quiz", row.quiz_id),
    quiz_name: around.quizName,
    session_id: formatId("sess", row.id),
    started_at: isoTime(row.started_at ?? row.opened_at),
    completed_at: isoTime(row.completed_at),
    version_number: around.version?.number ?? null,
    answers: answers.map((answer) => answerBody(answer, around.wording)),
    // dimensions and formulas by the names under which they were computed
    formulas: outcome.formulas.flatMap(({ component_key, page_key, label, value }) =>
      value === null ? [] : [{ component_key, page_key, label, value }],
    ),
    points: outcome.points,
    points_total: outcome.points_total,
    winner: outcome.winner,
    result_page: resultPage(row.state, around),
  };
}

type StoredAnswer = FinishedState["answers"][number];

function answerBody(answer: StoredAnswer, wording: Wording): AnswerBody {
  const { component_key, page_key, kind } = answer;
  const optionIds = "option_ids" in answer ? [...answer.option_ids] : null;
  const options = optionIds?.map((id) => wording.option(component_key, id)) ?? [];
  return {
    component_key,
    page_key,
    question: wording.question(component_key)?.component.question ?? component_key,
    page_title: wording.page(page_key)?.page.title ?? null,
    kind,
    value: "option_ids" in answer ? optionIds : answer.value,
    values: optionIds?.map((id, index) => options[index]?.label ?? id) ?? readable(answer),
    image_urls: kind === "image" ? options.map((option) => option?.image_url ?? null) : [],
    removed: !wording.isPresent(component_key),
  };
}

/** Any answer but a choice, for a person to read. */
function readable(answer: StoredAnswer): string[] {
  if (!("value" in answer)) return [];
  const { value } = answer;
  if (typeof value !== "object") return [String(value)];
  return [value.time === null ? value.date : `${value.date} ${value.time}`];
}

/** null for a quiz that ends without a result page. Products are those that the shopper was shown on it. */
function resultPage(state: FinishedState, around: ResultSurroundings): LatestResult["result_page"] {
  const { terminal_page_key: key } = state;
  if (key === null) return null;
  const placed = around.version?.quiz.pages.get(key);
  if (placed && placed.page.kind !== "result") return null;
  const shown = state.shown.filter((product) => product.page_key === key);
  return {
    page_key: key,
    title: around.wording.page(key)?.page.title ?? null,
    position: placed?.position ?? null,
    page_count: around.version?.document.pages.length ?? null,
    shown_products: shown.map((product) => shownProduct(product, around)),
  };
}

/** Without a variant the price is the first one's (storefront 4). */
function shownProduct(shown: FinishedState["shown"][number], around: ResultSurroundings): ShownProduct {
  const product = around.products.get(shown.product_id);
  const variant =
    shown.variant_id === null ? undefined : product?.variants.find((v) => v.variant_id === shown.variant_id);
  const price = (shown.variant_id === null ? product?.variants[0] : variant)?.price ?? null;
  return {
    block_key: shown.block_key,
    product_id: shown.product_id,
    currency: product ? around.currency : null,
    handle: product?.handle ?? null,
    image: product?.image ?? null,
    title: product?.title ?? null,
    variant_id: shown.variant_id,
    variant_title: variant?.title ?? null,
    price: price === null ? null : Number(price),
  };
}

/** The keys whose wording a result needs. */
export function collectKeys({ answers, terminal_page_key }: FinishedState, wanted: WantedKeys): void {
  if (terminal_page_key !== null) wanted.pages.add(terminal_page_key);
  for (const answer of answers) {
    wanted.pages.add(answer.page_key);
    wanted.questions.add(answer.component_key);
    if (!("option_ids" in answer)) continue;
    for (const option of answer.option_ids) wanted.options.push([answer.component_key, option]);
  }
}
