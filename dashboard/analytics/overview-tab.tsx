import { Stack } from "@mantine/core";
import { Suspense, startTransition, useEffect, useState } from "react";
import type { AnalyticsOverview } from "../../client/src/index.ts";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import type { ApiCall } from "./api-call.ts";
import { Figure } from "./figure.tsx";
import { withBefore } from "./figure-table.ts";
import { OverviewChart } from "./late-pictures.ts";
import { NobodyYet } from "./nobody-yet.tsx";
import type { OverviewChartProps } from "./overview-chart.tsx";
import { PublishNote } from "./publish-note.tsx";
import { overviewOf } from "./questions.ts";
import { panelsOf, type SeriesName, standardSeries } from "./series.ts";
import { SeriesMenu } from "./series-menu.tsx";
import { TableTiles, Tiles } from "./stat-tile.tsx";
import { firstTotals, otherTotals, seriesTable, seriesTableByPlace, type TotalOf, totalsTable } from "./tables.ts";
import { type TabProps, useCompared } from "./use-compared.ts";

/** The range's totals, and the figures day by day. */
export function OverviewTab(props: TabProps) {
  const { quizId, search, setSearch } = props;
  const { question, query, before, busy, file } = useCompared(
    props,
    "overview",
    (common) => overviewOf(quizId, common),
    { live: true },
  );
  useEffect(() => void OverviewChart.fetch(), []);
  const chosen = search.series ?? [...standardSeries];
  const panels = panelsOf(chosen);
  const setSeries = (series: SeriesName[]) => setSearch({ ...search, series }, { replace: true });
  return (
    <QueryView query={query} skeleton={<OverviewSkeleton panels={panels.length} />}>
      {(answer: AnalyticsOverview) => {
        const shared = { answer, before, call: question, file, busy };
        return (
          <Stack>
            {answer.data_start === null && !answer.freshness.pending ? <NobodyYet quizId={quizId} /> : null}
            <TotalsFigure name="totals" title="Summary" totals={firstTotals} {...shared} />
            <Figure
              name="series"
              title="Day by day"
              note={<PublishNote answer={answer} />}
              table={before ? withBefore(seriesTableByPlace(answer), seriesTableByPlace(before)) : seriesTable(answer)}
              call={question}
              file={[...file, "days"]}
              busy={busy}
              controls={<SeriesMenu chosen={chosen} onChange={setSeries} />}
            >
              <ChartAfterFigures panels={panels} answer={answer} before={before} />
            </Figure>
            <TotalsFigure name="more-totals" title="More figures" totals={otherTotals} {...shared} />
          </Stack>
        );
      }}
    </QueryView>
  );
}

interface TotalsFigureProps {
  name: string;
  title: string;
  totals: readonly TotalOf[];
  answer: AnalyticsOverview;
  before: AnalyticsOverview | undefined;
  call: ApiCall;
  file: readonly string[];
  busy: boolean;
}

function TotalsFigure({ name, title, totals, answer, before, call, file, busy }: TotalsFigureProps) {
  const now = totalsTable(answer, totals);
  const then = before && totalsTable(before, totals);
  return (
    <Figure name={name} title={title} table={withBefore(now, then)} call={call} file={[...file, name]} busy={busy}>
      <TableTiles table={now} before={then} />
    </Figure>
  );
}

export const chartHeight = 280;

export const ChartSkeleton = ({ panels }: { panels: number }) => (
  <BoxSkeleton height={Math.max(1, panels) * chartHeight} />
);

function OverviewSkeleton({ panels }: { panels: number }) {
  return (
    <Stack>
      <Tiles>
        {firstTotals.map(({ key }) => (
          <BoxSkeleton key={key} height={76} />
        ))}
      </Tiles>
      <ChartSkeleton panels={panels} />
    </Stack>
  );
}

/**
 * Charts take longest to draw, so they are rendered one by one after the figures, in transitions that a click can
 * interrupt.
 */
function ChartAfterFigures({ panels, ...props }: OverviewChartProps) {
  const [drawn, setDrawn] = useState(0);
  const isMore = drawn < panels.length;
  useEffect(() => {
    if (isMore) startTransition(() => setDrawn(drawn + 1));
  }, [isMore, drawn]);
  const skeleton = <ChartSkeleton panels={panels.length} />;
  if (drawn === 0) return skeleton;
  return (
    <Suspense fallback={skeleton}>
      <OverviewChart panels={panels.slice(0, drawn)} {...props} />
      {isMore ? <ChartSkeleton panels={panels.length - drawn} /> : null}
    </Suspense>
  );
}
