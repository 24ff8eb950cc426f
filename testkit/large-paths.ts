import type { AnalyticsPaths } from "../client/src/index.ts";

/** The largest graph that has to be readable and quick to draw [dashboard-figures.graph-size]. */
export const largePages = 60;
export const largeEdges = 400;

const key = (page: number) => `page${page}`;
const causes = ["next", "jump", "skip", "back", "restart"] as const;

/**
 * Paths of a quiz in which shoppers go everywhere: pages in a row, and jumps, skips and steps back between any of them.
 */
export function largePaths(answer: AnalyticsPaths): AnalyticsPaths {
  const edges = Array.from({ length: largeEdges }, (_, index) => {
    const from = index % largePages;
    const isNext = index < largePages - 1;
    const step = isNext ? 1 : 1 + ((index * 7) % 17);
    const cause = isNext ? "next" : (causes[index % causes.length] ?? "next");
    const goesBack = cause === "back" || cause === "restart";
    const to = goesBack ? Math.max(0, from - step) : Math.min(largePages - 1, from + step);
    const rule = cause === "jump" ? { jump_rule_key: `rule${index}` } : {};
    const moves = isNext ? 9_000 - from * 120 : 5 + ((index * 37) % 400);
    return { from_page_key: key(from), to_page_key: key(to), cause, moves, sessions_moved: moves - 2, ...rule };
  });
  const nodes = Array.from({ length: largePages }, (_, page) => ({
    page_key: key(page),
    title: `Page ${page + 1}: what do you think of it?`,
    removed: page % 19 === 18,
    entries: edges.filter((edge) => edge.from_page_key === key(page)).reduce((sum, edge) => sum + edge.moves, 40),
    entries_by_jump: 3,
    exits_closed: 25,
    exits_restarted: 5,
    exits_timed_out: 10,
    finished_here: 0,
    still_here: 0,
    median_time_on_page_ms: 4_000,
  }));
  return { ...answer, sessions: 9_000, nodes, edges, other_paths: { moves: 0, routes: 0 } };
}
