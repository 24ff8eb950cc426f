import type { IndexedProduct, IndexedVariant } from "../engine/catalog-index.ts";
import { holds } from "../engine/conditions.ts";
import type { Answers, PriceBound, ProductSelector, RuledProducts } from "../engine/document.ts";
import type { PickedByRules } from "../engine/pick-by-rules.ts";
import type { Quiz } from "../engine/quiz.ts";
import { score } from "../engine/score.ts";
import { countedAnswers } from "../engine/visibility.ts";

/** The naive model of products by rule: every rule looks at every variant, and everything is sorted. */

interface Candidate {
  product: IndexedProduct;
  variant: IndexedVariant | null;
  /** its place in the shop's order */
  place: number;
  score: number;
  reasons: string[];
}

/** Why a product is not shown: the first step that leaves none of its variants, or what the order puts before it. */
export function whyNotByHand(
  quiz: Quiz,
  block: RuledProducts,
  answers: Answers,
  catalog: readonly IndexedProduct[],
): Map<string, { not_shown: string | null; instead: string | null; place: number | null }> {
  const counted = countedAnswers(quiz, answers);
  const fits = matcher(quiz, answers);
  const fired = block.rules.filter(({ when }) => when === null || holds(when, counted, quiz));
  const hits = (effects: string[], one: Pick<Candidate, "product" | "variant">) =>
    fired.filter((rule) => effects.includes(rule.effect) && fits(rule.match, one));
  const sum = (one: Pick<Candidate, "product" | "variant">) =>
    Number(
      hits(["score"], one)
        .reduce((all, rule) => all + (rule.score ?? 0), 0)
        .toFixed(6),
    );
  const steps: [string, (one: Candidate) => boolean][] = [
    ["not_from", (one) => block.from === null || fits(block.from, one)],
    ["excluded", (one) => hits(["exclude"], one).length === 0],
    [
      "not_included",
      (one) => !fired.some(({ effect }) => effect === "include") || hits(["include", "score"], one).length > 0,
    ],
    ["min_score", (one) => block.min_score === null || one.score >= block.min_score],
    ["sold_out", (one) => block.sold_out !== "hide" || !gone(one)],
    ["min_stock", (one) => enough(block, one)],
  ];
  const all = catalog.map((product) =>
    (product.variants.length === 0 ? [null] : product.variants).map(
      (variant, place): Candidate => ({ product, variant, place, score: sum({ product, variant }), reasons: [] }),
    ),
  );
  const ordered = inOrder(
    block,
    all.flat().filter((one) => steps.every(([, passes]) => passes(one))),
  );
  const shown = new Set(productsByHand(quiz, block, answers, catalog).products.map(({ product_id }) => product_id));
  return new Map(
    all.map((own) => {
      const product = own[0]?.product;
      const why = (not_shown: string | null, instead: string | null = null, place: number | null = null) =>
        [product?.product_id ?? "", { not_shown, instead, place }] as const;
      if (shown.has(product?.product_id ?? "")) return why(null);
      let left = own;
      for (const [name, passes] of steps) {
        left = left.filter(passes);
        if (left.length === 0) return why(name);
      }
      const place = ordered.findIndex((one) => one.product === product);
      if (place >= 0) return why("limit", null, place + 1);
      const group = (one: IndexedProduct | undefined) => (block.one_per && one?.[block.one_per])?.trim().toLowerCase();
      const first = ordered.find((one) => group(one.product) === group(product));
      return why("one_per", first?.product.product_id ?? null);
    }),
  );
}

export function productsByHand(
  quiz: Quiz,
  block: RuledProducts,
  answers: Answers,
  catalog: readonly IndexedProduct[],
): PickedByRules {
  const counted = countedAnswers(quiz, answers);
  const fits = matcher(quiz, answers);
  const all = catalog.flatMap((product) =>
    (product.variants.length === 0 ? [null] : product.variants).map((variant, place) => ({ product, variant, place })),
  );
  const fired = block.rules.filter(({ when }) => when === null || holds(when, counted, quiz));
  const matching = (effect: string, one: (typeof all)[number]) =>
    fired.filter((rule) => rule.effect === effect && fits(rule.match, one));
  const allowed = all.filter((one) => matching("exclude", one).length === 0);
  const included = fired.some(({ effect }) => effect === "include");
  const candidates = allowed
    .filter((one) => block.from === null || fits(block.from, one))
    .map((one) => {
      const [include, scored] = [matching("include", one), matching("score", one)];
      const chosen = new Set([...include, ...scored].map(({ rule_key }) => rule_key));
      return {
        ...one,
        score: Number(scored.reduce((sum, rule) => sum + (rule.score ?? 0), 0).toFixed(6)),
        reasons: fired.flatMap(({ rule_key }) => (chosen.has(rule_key) ? [rule_key] : [])),
      };
    })
    .filter(({ reasons }) => !included || reasons.length > 0)
    .filter(({ score: sum }) => block.min_score === null || sum >= block.min_score);
  const rule_keys = fired.map(({ rule_key }) => rule_key);
  const best = inOrder(block, candidates).slice(0, block.limit);
  const { fallback } = block;
  if (best.length > 0 || fallback === null) return { products: written(best, "rules"), rule_keys };
  const others = allowed
    .filter((one) => fits(fallback.from, one))
    .map((one): Candidate => ({ ...one, score: 0, reasons: [] }));
  return { products: written(inOrder(block, others).slice(0, fallback.limit), "fallback"), rule_keys };
}

const written = (best: readonly Candidate[], source: "rules" | "fallback"): PickedByRules["products"] =>
  best.map(({ product, variant, reasons }, index) => ({
    product_id: product.product_id,
    variant_id: variant?.variant_id ?? null,
    position: index + 1,
    source,
    reasons,
  }));

const same = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();
const numberOf = (id: string): string => id.split("/").at(-1) ?? "";

function matcher(quiz: Quiz, answers: Answers) {
  const { formulas } = score(quiz, answers);
  const counted = countedAnswers(quiz, answers);
  const limitOf = (bound: PriceBound | undefined): number | null => {
    if (bound === undefined || typeof bound === "string") return bound === undefined ? null : Number(bound);
    if ("formula" in bound) return formulas.find((one) => one.component_key === bound.formula)?.value ?? null;
    const answer = counted.get(bound.component_key);
    return answer && "value" in answer && typeof answer.value === "number" ? answer.value : null;
  };
  return (selector: ProductSelector, { product, variant }: Pick<Candidate, "product" | "variant">): boolean => {
    const { product_ids, tags_any, tags_all, tags_none, vendors, product_types, collections, price, options } =
      selector;
    const hasTag = (tag: string) => product.tags.some((own) => same(own, tag));
    const [min, max] = [limitOf(price?.min), limitOf(price?.max)];
    const cost = variant?.price ?? null;
    return (
      (!product_ids || product_ids.some((id) => numberOf(id) === numberOf(product.product_id))) &&
      (!tags_any || tags_any.some(hasTag)) &&
      (!tags_all || tags_all.every(hasTag)) &&
      !tags_none?.some(hasTag) &&
      (!vendors || vendors.some((one) => same(one, product.vendor ?? ""))) &&
      (!product_types || product_types.some((one) => same(one, product.product_type ?? ""))) &&
      (!collections || collections.some((id) => product.collections.some((own) => numberOf(own) === numberOf(id)))) &&
      (min === null || (cost !== null && cost >= min)) &&
      (max === null || (cost !== null && cost <= max)) &&
      Object.entries(options ?? {}).every(([name, values]) =>
        variant?.options.some((own) => same(own.name, name) && values.some((value) => same(value, own.value))),
      )
    );
  };
}

const gone = ({ variant }: Candidate): boolean => variant?.available === false;

function enough({ min_stock }: RuledProducts, one: Candidate): boolean {
  if (min_stock === null) return true;
  const stock = one.variant?.stock ?? null;
  return stock === null ? !gone(one) || min_stock === 0 : stock >= min_stock;
}

function inOrder(block: RuledProducts, candidates: readonly Candidate[]): Candidate[] {
  let left = candidates.filter((one) => (block.sold_out !== "hide" || !gone(one)) && enough(block, one));
  if (block.unit === "product") {
    left = left.filter((one) => {
      const better = (other: Candidate): number =>
        Number(gone(one)) - Number(gone(other)) || other.score - one.score || one.place - other.place;
      return left.every((other) => other.product !== one.product || other === one || better(other) < 0);
    });
  }
  const sorted = left.toSorted((a, b) => before(block, a, b));
  const groups = new Set<string>();
  return sorted.filter(({ product }) => {
    const group = (block.one_per === null ? null : product[block.one_per])?.trim().toLowerCase();
    if (group === undefined) return true;
    const isFirst = !groups.has(group);
    groups.add(group);
    return isFirst;
  });
}

function before(block: RuledProducts, a: Candidate, b: Candidate): number {
  const last = block.sold_out === "last" ? Number(gone(a)) - Number(gone(b)) : 0;
  const [low, high] = [a.variant?.price ?? Number.POSITIVE_INFINITY, b.variant?.price ?? Number.POSITIVE_INFINITY];
  const [dear, dearer] = [a.variant?.price ?? -1, b.variant?.price ?? -1];
  const [title, other] = [a.product.title.toLowerCase(), b.product.title.toLowerCase()];
  const order = {
    score: b.score - a.score,
    price_asc: low === high ? 0 : low - high,
    price_desc: dearer - dear,
    newest: 0,
    title: title < other ? -1 : title > other ? 1 : 0,
  }[block.order];
  const published = (b.product.published_at ?? 0) - (a.product.published_at ?? 0);
  const numbers = Number(numberOf(b.product.product_id)) - Number(numberOf(a.product.product_id));
  return last || order || published || numbers || a.place - b.place;
}
