import { Group, Select } from "@mantine/core";
import type { AnalyticsBreakdown, AnalyticsTraffic } from "../../client/src/index.ts";
import { splitNames } from "../../contract/analytics-filters.ts";
import { trafficDimensions } from "../../contract/analytics-values.ts";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { BarTable } from "./bar-table.tsx";
import { plusDays } from "./days.ts";
import { EmptyDays } from "./empty-days.tsx";
import { Figure } from "./figure.tsx";
import { withBefore } from "./figure-table.ts";
import { valueText } from "./filter-menu.tsx";
import { breakdownOf, quizTraffic } from "./questions.ts";
import { breakdownTable, trafficTable, valueLabels } from "./tables.ts";
import { limits, oneOf } from "./url-state.ts";
import { type TabProps, useCompared } from "./use-compared.ts";

const skeleton = <BoxSkeleton height={420} />;
const figures = ["starts", "completions", "email_opt_ins", "phone_opt_ins"];
const bars = [{ column: "views", label: "Views", color: "blue.6" }];

const choices = (names: readonly string[]) => names.map((value) => ({ value, label: valueLabels[value] ?? value }));

/** Where a quiz's sessions came from. */
export function TrafficTab(props: TabProps & { quizId: string }) {
  const { quizId, search, setSearch } = props;
  const by = oneOf(trafficDimensions, search.by) ?? "referrer_host";
  const limit = search.limit ?? 25;
  const { question, query, before, busy, file } = useCompared(props, "traffic", (common) =>
    quizTraffic(quizId, common, { by, limit }),
  );
  return (
    <QueryView query={query} skeleton={skeleton}>
      {(answer: AnalyticsTraffic) => {
        const table = trafficTable(answer);
        const then = before && before.by === answer.by ? trafficTable(before) : undefined;
        return (
          <Figure
            name="traffic"
            title="Where they came from"
            table={withBefore(table, then)}
            call={question}
            file={[...file, by]}
            busy={busy}
            controls={
              <Group gap="xs">
                <Select
                  size="xs"
                  aria-label="Split by"
                  allowDeselect={false}
                  data={choices(trafficDimensions)}
                  value={by}
                  onChange={(value) => value !== null && setSearch({ ...search, by: value })}
                />
                <Select
                  size="xs"
                  w={110}
                  aria-label="How many sources"
                  allowDeselect={false}
                  data={limits.map((value) => ({ value: String(value), label: `First ${value}` }))}
                  value={String(limit)}
                  onChange={(value) => value !== null && setSearch({ ...search, limit: Number(value) })}
                />
              </Group>
            }
          >
            {answer.rows.length === 0 && !answer.freshness.pending ? (
              <EmptyDays {...props} today={plusDays(answer.freshness.closed_days_through, 1)} what="sessions" />
            ) : (
              <BarTable
                label="Where they came from"
                table={table}
                before={then}
                name="value"
                bars={bars}
                show={["views", "unique_viewers", ...figures]}
                nameOf={(row, text) => (row.key === "\u0000other" ? "All other sources" : text)}
              />
            )}
          </Figure>
        );
      }}
    </QueryView>
  );
}

/** The same figures by what filters compare, and by the results that shoppers reached. */
export function BreakdownTab(props: TabProps) {
  const { quizId, search, setSearch } = props;
  const by = oneOf(splitNames, search.by) ?? "channel";
  const { question, query, before, busy, file } = useCompared(props, "breakdown", (common) =>
    breakdownOf(quizId, common, by),
  );
  return (
    <QueryView query={query} skeleton={skeleton}>
      {(answer: AnalyticsBreakdown) => {
        const table = breakdownTable(answer);
        const then = before && before.by === answer.by ? breakdownTable(before) : undefined;
        const outcomes = new Map(answer.rows.map(({ value, name }) => [value, name]));
        return (
          <Figure
            name="breakdown"
            title="By kind of visit"
            table={withBefore(table, then)}
            call={question}
            file={[...file, by]}
            busy={busy}
            controls={
              <Select
                size="xs"
                aria-label="Split by"
                allowDeselect={false}
                data={choices(splitNames)}
                value={by}
                onChange={(value) => value !== null && setSearch({ ...search, by: value })}
              />
            }
          >
            {answer.rows.length === 0 && !answer.freshness.pending ? (
              <EmptyDays {...props} today={plusDays(answer.freshness.closed_days_through, 1)} what="sessions" />
            ) : (
              <BarTable
                label="By kind of visit"
                table={table}
                before={then}
                name="value"
                bars={bars}
                show={["views", "unique_viewers_approx", ...figures]}
                nameOf={(row, text) => outcomes.get(row.key) ?? valueText(answer.by, text)}
              />
            )}
          </Figure>
        );
      }}
    </QueryView>
  );
}
