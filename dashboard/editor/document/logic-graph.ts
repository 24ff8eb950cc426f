import { conditionInWords, firstWords, namesOf } from "../../../engine/condition-words.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import type { Finding } from "../../../engine/lint.ts";
import { nths } from "../locate.ts";

/**
 * The pages of a quiz and the ways between them as a graph: the default order, jumps, and loops that the lint found.
 * Pure.
 */

export interface LogicNode {
  id: string;
  /** of the page */
  place: number;
  label: string;
  look: "page" | "result" | "unreachable";
  note?: string;
}

export interface LogicEdge {
  id: string;
  from: string;
  to: string;
  kind: "next" | "jump";
  label?: string;
  flaw?: "loop";
  /** for a jump: its index among the rules, and its key */
  rule?: number;
  rule_key?: string;
}

export interface LogicGraph {
  nodes: LogicNode[];
  edges: LogicEdge[];
}

export function logicGraph(document: QuizDocument, findings: readonly Finding[]): LogicGraph {
  const names = namesOf(document);
  const said = (code: Finding["code"], path: string): boolean =>
    findings.some((finding) => finding.code === code && finding.path === path);
  const ids = nodeIds(document);
  const nodes = document.pages.map((page, index): LogicNode => {
    const lost = said("unreachable_page", `pages.${index}`) || said("never_visible", `pages.${index}`);
    const look = lost ? "unreachable" : page.kind === "result" ? "result" : "page";
    const note = page.visible_when ? { note: `if ${conditionInWords(page.visible_when, names)}` } : {};
    return {
      id: ids[index] ?? page.page_key,
      place: index,
      label: `${index + 1}. ${firstWords(page.title, page.page_key)}`,
      look,
      ...note,
    };
  });
  const keys = new Set(nodes.map(({ id }) => id));
  const jumps = document.jump_rules.flatMap((rule, index): LogicEdge[] => {
    const { source_page_key: from, target_page_key: to, jump_rule_key: rule_key, when } = rule;
    // the lint reports jumps that name no page
    if (!keys.has(from) || !keys.has(to)) return [];
    const flaw = said("jump_loop", `jump_rules.${index}`) ? ({ flaw: "loop" } as const) : {};
    const label = conditionInWords(when, names);
    return [{ id: `jump ${index}`, from, to, kind: "jump", label, rule: index, rule_key, ...flaw }];
  });
  return { nodes, edges: [...onward(document), ...jumps] };
}

/** Node ids: the pages' keys. A repeated key gets a suffix, so that no jump leads to the later page. */
export function nodeIds({ pages }: QuizDocument): string[] {
  const keys = pages.map(({ page_key }) => page_key);
  return nths(keys).map((nth, index) => (nth === 0 ? (keys[index] ?? "") : `${keys[index]} ${nth + 1}`));
}

/** Edges to the next page, and past pages that are shown only conditionally; a result page ends the quiz. */
function onward(document: QuizDocument): LogicEdge[] {
  const { pages, jump_rules } = document;
  const ids = nodeIds(document);
  return pages.flatMap((page, index): LogicEdge[] => {
    const leavesAlways = jump_rules.some(
      ({ source_page_key, when }) => source_page_key === page.page_key && "all" in when && when.all.length === 0,
    );
    if (page.kind === "result" || leavesAlways) return [];
    const found: LogicEdge[] = [];
    for (const [at, next] of pages.entries()) {
      if (at <= index) continue;
      const [from = "", to = ""] = [ids[index], ids[at]];
      found.push({ id: `next ${from} ${to}`, from, to, kind: "next" });
      if (next.visible_when === null) break;
    }
    return found;
  });
}
