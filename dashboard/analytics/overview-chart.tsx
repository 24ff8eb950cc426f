import { LineChart } from "@mantine/charts";
import "@mantine/charts/styles.layer.css";
import { Group, Stack, Text } from "@mantine/core";
import { memo } from "react";
import type { AnalyticsOverview, PublishMarker, SeriesPoint } from "../../client/src/index.ts";
import { aboutCount, aboutMoney, cellText, dayText, durationText, shortDay } from "./figure-text.ts";
import { chartPoints, endsToday, type Panel, type Series } from "./series.ts";

export interface OverviewChartProps {
  panels: readonly Panel[];
  answer: AnalyticsOverview;
  before: AnalyticsOverview | undefined;
}

const height = 240;
const dotsUpTo = 62;

/**
 * One chart per kind of figure, with a line at each publish and the previous period dotted behind its series
 * [dashboard-figures.series].
 */
export function OverviewChart({ panels, answer, before }: OverviewChartProps) {
  return (
    <Stack gap="lg">
      {panels.map(({ kind, series }) => (
        <div key={kind} data-panel={kind}>
          <Group gap="md" mb={6}>
            {series.map(({ name, label, color }) => (
              <span key={name} className="qs-legend" data-legend={name}>
                <i style={{ background: `var(--mantine-color-${color.replace(".", "-")})` }} />
                {label}
              </span>
            ))}
            {endsToday(answer) ? (
              <Text component="span" size="sm" c="dimmed">
                Dashed: today so far
              </Text>
            ) : null}
            {before ? (
              <Text component="span" size="sm" c="dimmed">
                Dotted: {dayText(before.range.start)} – {dayText(before.range.end)}
              </Text>
            ) : null}
          </Group>
          <PanelChart kind={kind} series={series} answer={answer} before={before} />
        </div>
      ))}
    </Stack>
  );
}

const PanelChart = memo(({ kind, series, answer, before }: Panel & Omit<OverviewChartProps, "panels">) => {
  const currency = answer.totals.revenue?.currency ?? "USD";
  const tick = (value: number) => {
    if (kind === "money") return aboutMoney(value, currency);
    return kind === "duration" ? durationText(value) : aboutCount(value);
  };
  return (
    <LineChart
      // a translator's elements would not be drawn in a picture
      translate="no"
      h={height}
      data={chartPoints(series, answer, before)}
      dataKey="day"
      series={[
        ...(before ? series.map(beforeOf) : []),
        ...series.map(({ name, label, color }) => ({ name, label, color })),
        ...(endsToday(answer) ? series.map(todayOf) : []),
      ]}
      curveType="linear"
      connectNulls={false}
      withDots={answer.series.length <= dotsUpTo}
      dotProps={{ r: 2.5 }}
      strokeWidth={2}
      lineProps={lineOf}
      lineChartProps={{
        title: `Day by day: ${series.map(({ label }) => label).join(", ")}`,
        margin: { top: 22, right: 8 },
      }}
      referenceLines={markersByDay(answer.markers)}
      xAxisProps={{ tickFormatter: (day: string) => shortDay(day), minTickGap: 28 }}
      yAxisProps={{ tickFormatter: tick, width: 64, allowDecimals: kind !== "count" }}
      tooltipProps={{
        content: ({ active, label }) =>
          active ? <Tip day={String(label)} series={series} answer={answer} before={before} /> : null,
      }}
    />
  );
});

const todayOf = ({ name, label, color }: Series) => ({
  name: `${name}_today`,
  label: `${label} today so far`,
  color,
  strokeDasharray: "5 4",
});

/** Today's point is hollow because the day is not over. */
const lineOf = ({ name }: { name: string }) => ({
  isAnimationActive: false,
  className: `qs-line qs-line-${name}`,
  ...(name.endsWith("_today")
    ? { dot: { r: 3, fill: "var(--qs-surface)", strokeWidth: 2, strokeDasharray: "none" } }
    : {}),
});

const beforeOf = ({ name, label, color }: Series) => ({
  name: `${name}_before`,
  label: `${label} before`,
  color,
  strokeDasharray: "1 5",
});

/** Groups publishes of the same day into one line. */
function markersByDay(markers: readonly PublishMarker[]) {
  const days = new Map<string, string[]>();
  for (const { day, version_number } of markers) {
    days.set(day, [...(days.get(day) ?? []), version_number === null ? "live" : `v${version_number}`]);
  }
  return Array.from(days, ([day, names]) => ({
    x: day,
    label: names.length > 3 ? `${names[0]}…${names.at(-1)}` : names.join(", "),
    labelPosition: "top" as const,
    color: "gray.6",
    className: "qs-publish",
  }));
}

interface TipProps extends Omit<OverviewChartProps, "panels"> {
  day: string;
  series: readonly Series[];
}

/** The exact figures of the day under the pointer. */
function Tip({ day, series, answer, before }: TipProps) {
  const index = answer.series.findIndex((point) => point.day === day);
  const point: SeriesPoint | undefined = answer.series[index];
  const earlier = before?.series[index];
  if (!point) return null;
  return (
    <div className="qs-chart-tip">
      <Text size="sm" fw={600}>
        {dayText(day)}
        {index === answer.series.length - 1 && endsToday(answer) ? ", so far" : ""}
      </Text>
      {series.map(({ name, label, kind, of }) => (
        <div key={name}>
          {label}: <strong>{cellText(of(point), kind)}</strong>
          {earlier ? ` (${shortDay(earlier.day)}: ${cellText(of(earlier), kind)})` : ""}
        </div>
      ))}
    </div>
  );
}
