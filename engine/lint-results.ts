import type { Compared, Component, Condition, OutcomeLeaf, Page, QuizDocument } from "./document.ts";
import { parseFormula } from "./expression.ts";
import { isChoice } from "./kinds/value.ts";
import { attainableTotals } from "./lint-totals.ts";
import { recallingTexts, recallsIn } from "./recall-texts.ts";

/** Findings about results and what leads to them [quiz-documents.lint-results]. */
interface Found {
  code: "recall_unknown" | "points_unread" | "results_overlap" | "results_gap" | "result_without_page";
  path: string;
  message: string;
}

/** @param losing the dimensions that cannot win */
export function lintResults(document: QuizDocument, losing: ReadonlySet<string>): Found[] {
  return [
    ...unknownRecalls(document),
    ...unreadPoints(document),
    ...rangesOf(document),
    ...withoutPage(document, losing),
  ];
}

function unknownRecalls(document: QuizDocument): Found[] {
  const components = document.pages.flatMap((page) => page.components);
  const keysOf = (wanted: (component: Component) => boolean): Set<string> =>
    new Set(components.flatMap((each) => (each.kind !== "products" && wanted(each) ? [each.component_key] : [])));
  const known = {
    answer: keysOf((each) => "question" in each),
    formula: keysOf(({ kind }) => kind === "formula"),
    points: new Set(document.dimensions.map(({ dimension_id }) => dimension_id)),
  };
  const found: Found[] = [];
  for (const given of recallingTexts(document)) {
    for (const what of recallsIn(given)) {
      if (what.kind === "winner") continue;
      const key = what.kind === "points" ? what.dimension_id : what.component_key;
      if (key === null || known[what.kind].has(key)) continue;
      const named = { answer: "question", formula: "formula", points: "result" }[what.kind];
      found.push({
        code: "recall_unknown",
        path: given.path.join("."),
        message: `recalls "${key}", but there is no such ${named}`,
      });
      break;
    }
  }
  return found;
}

/** Each leaf of a condition about totals. */
function leavesOf(condition: Condition | null | undefined): OutcomeLeaf[] {
  if (!condition) return [];
  if ("all" in condition) return condition.all.flatMap(leavesOf);
  if ("any" in condition) return condition.any.flatMap(leavesOf);
  if ("not" in condition) return leavesOf(condition.not);
  return "kind" in condition ? [condition] : [];
}

function conditionsOf({ pages, jump_rules }: QuizDocument): (Condition | null | undefined)[] {
  const picks = (component: Component) =>
    component.kind !== "products" ? [] : component.source === "rules" ? component.rules : component.products;
  return [
    ...jump_rules.map(({ when }) => when),
    ...pages.flatMap(({ visible_when, components }) => [
      visible_when,
      ...components.flatMap((component) => [component.visible_when, ...picks(component).map(({ when }) => when)]),
    ]),
  ];
}

/** Dimensions whose points decide and show nothing. */
function unreadPoints(document: QuizDocument): Found[] {
  const components = document.pages.flatMap((page) => page.components);
  const leaves = conditionsOf(document).flatMap(leavesOf);
  const recalls = [...recallingTexts(document)].flatMap(recallsIn);
  const readsAll =
    leaves.some((leaf) => leaf.kind === "winner" || (leaf.kind === "points" && leaf.dimension_id === null)) ||
    recalls.some((what) => what.kind === "winner" || (what.kind === "points" && what.dimension_id === null)) ||
    components.some((component) => component.kind === "products" && component.source === "winner");
  if (readsAll) return [];
  const read = new Set<string | null>([
    ...leaves.map((leaf) => (leaf.kind === "points" ? leaf.dimension_id : null)),
    ...recalls.map((what) => (what.kind === "points" ? what.dimension_id : null)),
    ...document.pages.map(({ outcome }) => outcome?.dimension_id ?? null),
    ...components.flatMap((component) => {
      const parsed = component.kind === "formula" ? parseFormula(component) : null;
      return parsed?.ok ? parsed.names.map(({ name }) => name) : [];
    }),
  ]);
  const given = new Set(
    components
      .filter(isChoice)
      .flatMap(({ options }) => options.flatMap(({ points }) => Object.keys(points).filter((id) => points[id] !== 0))),
  );
  return document.dimensions.flatMap(({ dimension_id, name }, index): Found[] => {
    if (read.has(dimension_id) || !given.has(dimension_id)) return [];
    const message = `options give points for "${name}", but nothing in the quiz follows them`;
    return [{ code: "points_unread", path: `dimensions.${index}`, message }];
  });
}

/** A result page whose whole condition is one leaf. */
interface ResultPage {
  page: Page;
  index: number;
  leaf: Condition | null;
}

function resultPages({ pages }: QuizDocument): ResultPage[] {
  return pages.flatMap((page, index) =>
    page.kind === "result" ? [{ page, index, leaf: alone(page.visible_when) }] : [],
  );
}

function alone(condition: Condition | null): Condition | null {
  let inner = condition;
  for (;;) {
    const within: Condition[] | null =
      inner === null ? null : "all" in inner ? inner.all : "any" in inner ? inner.any : null;
    const [only] = within ?? [];
    if (within?.length !== 1 || only === undefined) return inner;
    inner = only;
  }
}

const covers = (test: Compared, total: number): boolean => {
  if (test.op === "between") return total >= test.min && total <= test.max;
  if (test.op === "eq") return total === test.value;
  return test.op === "lt" ? total < test.value : total > test.value;
};

const nameOf = ({ page }: ResultPage): string => page.title.trim() || page.page_key;

/** Result pages that hold together, or leave totals between them without a page. */
function rangesOf(document: QuizDocument): Found[] {
  const found: Found[] = [];
  const pages = resultPages(document);
  const ranged = Map.groupBy(
    pages.flatMap((page) =>
      page.leaf && "kind" in page.leaf && page.leaf.kind === "points" ? [{ page, test: page.leaf }] : [],
    ),
    ({ test }) => test.dimension_id,
  );
  for (const [dimension_id, ranges] of ranged) {
    const totals = ranges.length > 1 ? attainableTotals(document, dimension_id) : null;
    if (totals === null) continue;
    for (const [at, { page, test }] of ranges.entries()) {
      const clash = ranges.slice(0, at).find((before) => {
        // the usual staircase: above 10, else above 5
        if (before.test.op === test.op && (test.op === "gt" || test.op === "lt")) return false;
        return totals.some((total) => covers(test, total) && covers(before.test, total));
      });
      if (clash === undefined) continue;
      const total = totals.find((one) => covers(test, one) && covers(clash.test, one));
      const message = `holds together with "${nameOf(clash.page)}" at ${total} points; the first of them is shown`;
      found.push({ code: "results_overlap", path: `pages.${page.index}.visible_when`, message });
    }
    if (ranges.length !== pages.length) continue;
    const isCovered = totals.map((total) => ranges.some(({ test }) => covers(test, total)));
    const [first, last] = [isCovered.indexOf(true), isCovered.lastIndexOf(true)];
    const gap = isCovered.findIndex((is, at) => !is && at > first && at < last);
    const path = `pages.${ranges[0]?.page.index}.visible_when`;
    if (gap >= 0) found.push({ code: "results_gap", path, message: `no result page holds at ${totals[gap]} points` });
  }
  for (const [at, page] of pages.entries()) {
    const clash = pages.slice(0, at).find((before) => sharedWinner(page.leaf, before.leaf) !== undefined);
    if (clash === undefined) continue;
    const id = sharedWinner(page.leaf, clash.leaf);
    const name = document.dimensions.find(({ dimension_id }) => dimension_id === id)?.name || id;
    const message = `holds together with "${nameOf(clash)}" for "${name}"; the first of them is shown`;
    found.push({ code: "results_overlap", path: `pages.${page.index}.visible_when`, message });
  }
  return found;
}

const winnersOf = (leaf: Condition | null) =>
  leaf && "kind" in leaf && leaf.kind === "winner" && leaf.op === "in" ? leaf : null;

function sharedWinner(one: Condition | null, other: Condition | null): string | undefined {
  const [mine, theirs] = [winnersOf(one), winnersOf(other)];
  if (mine === null || theirs === null || (mine.rank ?? 1) !== (theirs.rank ?? 1)) return undefined;
  const ids = new Set(theirs.dimension_ids);
  return mine.dimension_ids.find((id) => ids.has(id));
}

/** Dimensions that can win, and then lead to no result page, where every result page is for winners. */
function withoutPage(document: QuizDocument, losing: ReadonlySet<string>): Found[] {
  const pages = resultPages(document);
  const leaves = pages.map(({ leaf }) => winnersOf(leaf));
  if (pages.length === 0 || leaves.some((leaf) => leaf === null || (leaf.rank ?? 1) !== 1)) return [];
  const shown = new Set(leaves.flatMap((leaf) => leaf?.dimension_ids ?? []));
  return document.dimensions.flatMap(({ dimension_id, name }, index): Found[] => {
    if (shown.has(dimension_id) || losing.has(dimension_id)) return [];
    const message = `no result page is shown when "${name}" wins`;
    return [{ code: "result_without_page", path: `dimensions.${index}`, message }];
  });
}
