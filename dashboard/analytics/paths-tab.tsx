import { SegmentedControl, Stack } from "@mantine/core";
import { Suspense, useEffect, useMemo } from "react";
import type { AnalyticsPaths } from "../../client/src/index.ts";
import { cohorts } from "../../contract/analytics-values.ts";
import { endsOf, type Graph } from "../graph/graph.ts";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { plusDays } from "./days.ts";
import { EmptyDays } from "./empty-days.tsx";
import { Figure } from "./figure.tsx";
import { type ColumnOf, tableOf, withBefore } from "./figure-table.ts";
import { FigureTableView } from "./figure-table-view.tsx";
import { GraphView } from "./late-pictures.ts";
import { hiddenTable, movesTable, pagesTable, pathsGraph, rulesTable } from "./paths-graph.ts";
import { quizPaths } from "./questions.ts";
import { TableTiles } from "./stat-tile.tsx";
import { oneOf } from "./url-state.ts";
import { type TabProps, useCompared } from "./use-compared.ts";

const cohortLabels = { all: "All", finished: "Finished", left: "Left" } as const;
const graphHeight = 560;
const graphNote =
  "Pages in the quiz's order. Lines are as wide as the sessions that went there; below each page is what became of those who went no further.";
const comparedNote =
  "Choose a page to read what its ways had in the period before; ways that only that period had are in the table.";

/** The paths between pages: the graph, and the rules and hidden pages behind them. */
export function PathsTab(props: TabProps & { quizId: string }) {
  const { quizId, search, setSearch } = props;
  useEffect(() => void GraphView.fetch(), []);
  const cohort = search.cohort ?? "all";
  const { question, query, before, busy, file } = useCompared(props, "paths", (common) =>
    quizPaths(quizId, common, { cohort }),
  );
  return (
    <QueryView query={query} skeleton={<BoxSkeleton height={graphHeight + 120} />}>
      {(answer: AnalyticsPaths) => (
        <Stack>
          <Figure
            name="paths"
            title="Paths through the quiz"
            note={before ? `${graphNote} ${comparedNote}` : graphNote}
            table={withBefore(movesTable(answer), before && movesTable(before))}
            more={[
              { name: "pages", title: "Pages", table: withBefore(pagesTable(answer), before && pagesTable(before)) },
            ]}
            call={question}
            file={file}
            busy={busy}
            controls={
              <SegmentedControl
                size="xs"
                aria-label="Whose paths"
                data={cohorts.map((value) => ({ value, label: cohortLabels[value] }))}
                value={cohort}
                onChange={(value) => setSearch({ ...search, cohort: oneOf(cohorts, value) ?? "all" })}
              />
            }
          >
            {answer.sessions === 0 && !answer.freshness.pending ? (
              <EmptyDays {...props} today={plusDays(answer.freshness.closed_days_through, 1)} what="sessions" />
            ) : (
              <Picture answer={answer} before={before} />
            )}
          </Figure>
          <RulesAndHidden answer={answer} props={{ call: question, file, busy }} />
        </Stack>
      )}
    </QueryView>
  );
}

interface Drawn {
  answer: AnalyticsPaths;
  graph: Graph;
}

const sums: ColumnOf<Drawn>[] = [
  { key: "sessions", label: "Sessions", kind: "count", of: ({ answer }) => answer.sessions },
  { key: "finished", label: "Finished", kind: "count", of: ({ graph }) => endsOf(graph, "finished") },
  { key: "left", label: "Left", kind: "count", of: ({ graph }) => endsOf(graph, "left") },
  { key: "still", label: "Still under way", kind: "count", of: ({ graph }) => endsOf(graph, "still") },
  { key: "other", label: "Moves on paths not drawn", kind: "count", of: ({ answer }) => answer.other_paths.moves },
];

function Picture({ answer, before }: { answer: AnalyticsPaths; before: AnalyticsPaths | undefined }) {
  const { nodes, edges } = answer;
  const { nodes: nodesThen, edges: edgesThen, other_paths: otherThen } = before ?? {};
  // a refetched answer usually differs only in its timestamp: do not lay out the same figures again
  const graph = useMemo(() => {
    const then =
      nodesThen && edgesThen && otherThen ? { nodes: nodesThen, edges: edgesThen, other_paths: otherThen } : undefined;
    return pathsGraph({ nodes, edges }, then);
  }, [nodes, edges, nodesThen, edgesThen, otherThen]);
  const now = tableOf(sums, [{ answer, graph }], () => "all");
  const then = before && tableOf(sums, [{ answer: before, graph: pathsGraph(before) }], () => "all");
  return (
    <Stack gap="sm">
      <TableTiles table={now} before={then} />
      <Suspense fallback={<BoxSkeleton height={graphHeight} />}>
        <GraphView label="Paths through the quiz" graph={graph} height={graphHeight} />
      </Suspense>
    </Stack>
  );
}

function RulesAndHidden({
  answer,
  props,
}: {
  answer: AnalyticsPaths;
  props: { call: Parameters<typeof Figure>[0]["call"]; file: string[]; busy: boolean };
}) {
  const rules = rulesTable(answer);
  const hidden = hiddenTable(answer);
  return (
    <>
      {rules.rows.length > 0 ? (
        <Figure name="jump-rules" title="Jump rules" table={rules} {...props} file={[...props.file, "rules"]}>
          <FigureTableView table={rules} label="Jump rules" />
        </Figure>
      ) : null}
      {hidden.rows.length > 0 ? (
        <Figure
          name="hidden-pages"
          title="Pages passed over"
          table={hidden}
          {...props}
          file={[...props.file, "hidden"]}
        >
          <FigureTableView table={hidden} label="Pages passed over" />
        </Figure>
      ) : null}
    </>
  );
}
