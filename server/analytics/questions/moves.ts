import type { PageEdge, PathsAnswer } from "../../../contract/analytics-answers.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { raw, type Statement, sql } from "../../platform/database/sql.ts";
import { compareTexts } from "./texts.ts";

/** Reads the moves between pages from the copy. */

const edgesAtMost = 60;

export interface Moves extends Pick<PathsAnswer, "edges" | "other_paths"> {
  /** most frequent first */
  fired: FiredRule[];
}

/** The moves of one rule from one page. */
export interface FiredRule {
  jump_rule_key: string;
  from_page_key: string;
  moves: number;
}

interface EdgeRow extends Omit<PageEdge, "jump_rule_key"> {
  /** false: selected only to count its rule */
  listed: boolean;
  jump_rule_key: string | null;
  all_moves: number;
  all_edges: number;
}

/**
 * The edges with the most moves, the sum of all others, and the counts of the rules of all edges [paths.other-paths].
 * An edge is a pair of pages, a cause and, for a jump, its rule.
 *
 * @param rows FROM and WHERE of `moves` as `m`
 */
export async function readMoves(query: CopyQuery, rows: Statement): Promise<Moves> {
  const order = raw("moves DESC, sessions_moved DESC, from_page_key, to_page_key, cause, jump_rule_key NULLS FIRST");
  // totals as subqueries: DuckDB's window functions over few rows occasionally fail when several threads run them
  const picked = await query(sql<EdgeRow>`
    WITH counted AS (
        SELECT m.from_page, m.to_page, m.cause, m.rule, sum(m.moves) AS moves, count(*) AS sessions_moved
        ${rows}
        GROUP BY ALL),
      edges AS MATERIALIZED (
        SELECT f.page_key AS from_page_key, t.page_key AS to_page_key, c.cause, r.jump_rule_key, c.moves, c.sessions_moved
        FROM counted AS c JOIN pages AS f ON f.page = c.from_page JOIN pages AS t ON t.page = c.to_page
        LEFT JOIN rules AS r ON r.rule = c.rule),
      picked AS (
        SELECT * FROM (SELECT true AS listed, e.* FROM edges AS e ORDER BY ${order} LIMIT ${raw(edgesAtMost)})
        UNION ALL
        SELECT false, e.* FROM edges AS e WHERE e.jump_rule_key IS NOT NULL)
    SELECT picked.*, (SELECT sum(moves) FROM edges) AS all_moves, (SELECT count(*) FROM edges) AS all_edges
    FROM picked ORDER BY ${order}`);
  const listed = picked.filter((row) => row.listed);
  const sum = listed.reduce((moves, edge) => moves + edge.moves, 0);
  return {
    edges: listed.map(edgeOf),
    other_paths: { moves: (listed[0]?.all_moves ?? 0) - sum, routes: (listed[0]?.all_edges ?? 0) - listed.length },
    fired: firedIn(picked.filter((row) => !row.listed)),
  };
}

const edgeOf = ({
  listed: _listed,
  all_moves: _moves,
  all_edges: _edges,
  jump_rule_key,
  ...edge
}: EdgeRow): PageEdge => (jump_rule_key === null ? edge : { ...edge, jump_rule_key });

function firedIn(edges: readonly EdgeRow[]): FiredRule[] {
  const found = new Map<string, FiredRule>();
  for (const { jump_rule_key, from_page_key, moves } of edges) {
    if (jump_rule_key === null) continue;
    const key = JSON.stringify([jump_rule_key, from_page_key]);
    const known = found.get(key)?.moves ?? 0;
    found.set(key, { jump_rule_key, from_page_key, moves: known + moves });
  }
  return [...found.values()].sort(
    (a, b) =>
      b.moves - a.moves ||
      compareTexts(a.from_page_key, b.from_page_key) ||
      compareTexts(a.jump_rule_key, b.jump_rule_key),
  );
}
