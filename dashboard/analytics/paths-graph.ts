import type { AnalyticsPaths, PageEdge, PageNode } from "../../client/src/index.ts";
import { type Graph, type GraphEdge, type GraphEnd, type GraphNode, kindLabels } from "../graph/graph.ts";
import { type ColumnOf, type FigureTable, field, tableOf } from "./figure-table.ts";

/** The moves between pages as a graph and as tables. */

type Ways = Pick<AnalyticsPaths, "nodes" | "edges" | "rules" | "other_paths" | "visibility_skips">;

/** The part of an answer that is drawn. */
type Drawn = Pick<Ways, "nodes" | "edges">;

const leftOf = (node: PageNode): number => node.exits_closed + node.exits_restarted + node.exits_timed_out;

/**
 * Moves out of a page by paths that are not listed: the remainder of each page's balance [paths.balance,
 * dashboard-figures.paths-balance].
 */
function otherMovesOf(edges: readonly PageEdge[]): (node: PageNode) => number {
  const listed = new Map<string, number>();
  for (const { from_page_key, moves } of edges) listed.set(from_page_key, (listed.get(from_page_key) ?? 0) + moves);
  return (node) => movesOut(node) - (listed.get(node.page_key) ?? 0);
}

export const edgeId = (edge: PageEdge): string =>
  JSON.stringify([edge.from_page_key, edge.to_page_key, edge.cause, edge.jump_rule_key ?? null]);

/**
 * @param before the answer for the period compared with; a path that it leaves out of an incomplete list gets no figure
 */
export function pathsGraph(answer: Drawn, before?: Drawn & Pick<Ways, "other_paths">): Graph {
  const otherMoves = otherMovesOf(answer.edges);
  const entries = new Map(before?.nodes.map((node) => [node.page_key, node.entries]));
  const moves = new Map(before?.edges.map((edge) => [edgeId(edge), edge.moves]));
  const unlisted = before?.other_paths.routes === 0 ? 0 : undefined;
  return {
    nodes: answer.nodes.map((node) => ({
      id: node.page_key,
      label: node.title,
      look: node.removed ? "removed" : node.finished_here > 0 ? "result" : "page",
      count: node.entries,
      ...beforeOf(entries.get(node.page_key)),
      ends: endsOf(node, otherMoves(node)),
    })),
    edges: answer.edges.map((edge) => ({
      id: edgeId(edge),
      from: edge.from_page_key,
      to: edge.to_page_key,
      kind: edge.cause,
      count: edge.moves,
      ...beforeOf(moves.get(edgeId(edge)) ?? unlisted),
      weight: edge.sessions_moved,
      ...(edge.jump_rule_key === undefined ? {} : { label: edge.jump_rule_key }),
    })),
  };
}

/**
 * Adds shoppers' moves to the graph of the quiz's logic: each edge gets the moves along it, and each page the count of
 * shoppers who left otherwise, including those who went back or used a path that the quiz no longer has
 * [editor.figures]. If the answer does not list all paths, the edges that it leaves out get no count.
 *
 * @param ruleOf the key of the edge's jump rule; null for an edge to the next page
 */
export function withMoves<Edge extends GraphEdge>(
  logic: { nodes: readonly GraphNode[]; edges: readonly Edge[] },
  answer: Ways,
  ruleOf: (edge: Edge) => string | null,
): { nodes: GraphNode[]; edges: Edge[] } {
  const moves = new Map<string, number>();
  for (const edge of answer.edges) {
    const way = wayOf(edge);
    if (way !== null) moves.set(way, (moves.get(way) ?? 0) + edge.moves);
  }
  const unlisted = answer.other_paths.routes === 0 ? 0 : undefined;
  const drawn = new Map<string, number>();
  const edges = logic.edges.map((edge) => {
    const count = moves.get(wayKey(edge.from, edge.to, ruleOf(edge))) ?? unlisted;
    drawn.set(edge.from, (drawn.get(edge.from) ?? 0) + (count ?? 0));
    return count === undefined ? edge : { ...edge, count };
  });
  const pages = new Map(answer.nodes.map((node) => [node.page_key, node]));
  const nodes = logic.nodes.map((node) => {
    const page = pages.get(node.id);
    if (!page) return { ...node, count: 0 };
    return { ...node, count: page.entries, ends: endsOf(page, movesOut(page) - (drawn.get(node.id) ?? 0)) };
  });
  return { nodes, edges };
}

const wayKey = (from: string, to: string, rule: string | null): string => JSON.stringify([from, to, rule]);

/** The edge of the logic that a move used; null for going back and starting over. */
function wayOf({ from_page_key, to_page_key, cause, jump_rule_key }: PageEdge): string | null {
  if (cause === "back" || cause === "restart") return null;
  return wayKey(from_page_key, to_page_key, jump_rule_key ?? null);
}

const beforeOf = (before: number | undefined): { before?: number } => (before === undefined ? {} : { before });

function endsOf(node: PageNode, other: number): GraphEnd[] {
  const ends: GraphEnd[] = [
    { kind: "left", label: "left", count: leftOf(node) },
    { kind: "finished", label: "finished", count: node.finished_here },
    { kind: "still", label: "still here", count: node.still_here },
    { kind: "other", label: "other ways", count: other },
  ];
  return ends.filter(({ count }) => count !== 0);
}

export function pagesTable(answer: Ways): FigureTable {
  const otherMoves = otherMovesOf(answer.edges);
  const columns: ColumnOf<PageNode>[] = [
    field("page_key", "Page key", "text"),
    field("title", "Page", "text"),
    field("removed", "Removed", "flag"),
    field("entries", "Arrivals", "count"),
    field("entries_by_jump", "By a jump", "count"),
    { key: "moves_out", label: "Moved on", kind: "count", of: movesOut },
    { key: "other_moves_out", label: "Of these, on paths not listed", kind: "count", of: otherMoves },
    field("exits_closed", "Closed it", "count"),
    field("exits_restarted", "Started over", "count"),
    field("exits_timed_out", "Timed out", "count"),
    field("finished_here", "Finished", "count"),
    field("still_here", "Still here", "count"),
    field("median_time_on_page_ms", "Median time on page", "duration"),
  ];
  return tableOf(columns, answer.nodes, ({ page_key }) => page_key);
}

const movesOut = (node: PageNode): number => node.entries - leftOf(node) - node.finished_here - node.still_here;

interface MoveRow {
  key: string;
  from: string | null;
  to: string | null;
  cause: string;
  rule: string | null;
  moves: number;
  sessions: number | null;
}

/** Paths that are not listed are summed in the last row, so that the moves add up. */
export function movesTable({ nodes, edges, other_paths }: Ways): FigureTable {
  const titles = new Map(nodes.map(({ page_key, title }) => [page_key, title]));
  const listed = edges.map(
    (edge): MoveRow => ({
      key: edgeId(edge),
      from: titles.get(edge.from_page_key) ?? edge.from_page_key,
      to: titles.get(edge.to_page_key) ?? edge.to_page_key,
      cause: kindLabels[edge.cause],
      rule: edge.jump_rule_key ?? null,
      moves: edge.moves,
      sessions: edge.sessions_moved,
    }),
  );
  const other: MoveRow = {
    key: "other",
    from: null,
    to: null,
    cause: `Other (${other_paths.routes} ways)`,
    rule: null,
    moves: other_paths.moves,
    sessions: null,
  };
  return tableOf<MoveRow>(
    [
      field("from", "From", "text"),
      field("to", "To", "text"),
      field("cause", "How", "text"),
      field("rule", "Jump rule", "text"),
      field("moves", "Moves", "count"),
      field("sessions", "Sessions", "count"),
    ],
    other_paths.routes > 0 ? [...listed, other] : listed,
    ({ key }) => key,
  );
}

export const rulesTable = ({ rules, nodes }: Ways): FigureTable => {
  const titles = new Map(nodes.map(({ page_key, title }) => [page_key, title]));
  return tableOf<Ways["rules"][number]>(
    [
      field("jump_rule_key", "Jump rule", "text"),
      {
        key: "source_page",
        label: "On page",
        kind: "text",
        of: (rule) => titles.get(rule.source_page_key) ?? rule.source_page_key,
      },
      field("fired", "Fired", "count"),
      field("source_entries", "Arrivals at its page", "count"),
    ],
    rules,
    ({ jump_rule_key }) => jump_rule_key,
  );
};

export const hiddenTable = ({ visibility_skips }: Ways): FigureTable =>
  tableOf<Ways["visibility_skips"][number]>(
    [
      field("page_key", "Page key", "text"),
      field("title", "Page", "text"),
      field("removed", "Removed", "flag"),
      field("times_hidden", "Times hidden", "count"),
    ],
    visibility_skips,
    ({ page_key }) => page_key,
  );
