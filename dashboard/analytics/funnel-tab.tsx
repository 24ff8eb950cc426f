import { Stack } from "@mantine/core";
import type { AnalyticsFunnel } from "../../client/src/index.ts";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { BarTable } from "./bar-table.tsx";
import { plusDays } from "./days.ts";
import { EmptyDays } from "./empty-days.tsx";
import { Figure } from "./figure.tsx";
import { type ColumnOf, type FigureTable, field, tableOf, withBefore } from "./figure-table.ts";
import { PageName } from "./page-name.tsx";
import { quizFunnel } from "./questions.ts";
import { TableTiles, Tiles } from "./stat-tile.tsx";
import { funnelTable } from "./tables.ts";
import { type TabProps, useCompared } from "./use-compared.ts";

type Whole = Pick<AnalyticsFunnel, "views" | "not_started" | "starts" | "completions" | "in_progress">;

const whole: ColumnOf<Whole>[] = [
  field("views", "Views", "count"),
  field("not_started", "Did not start", "count"),
  field("starts", "Starts", "count"),
  field("completions", "Completions", "count"),
  field("in_progress", "Still under way", "count"),
];

const wholeTable = (answer: Whole): FigureTable => tableOf(whole, [answer], () => "all");

/** Where shoppers leave the quiz. */
export function FunnelTab(props: TabProps & { quizId: string }) {
  const { quizId } = props;
  const { question, query, before, busy, file } = useCompared(props, "funnel", (common) => quizFunnel(quizId, common));
  return (
    <QueryView query={query} skeleton={<FunnelSkeleton />}>
      {(answer: AnalyticsFunnel) =>
        answer.views === 0 && !answer.freshness.pending && !before?.views ? (
          <EmptyDays {...props} today={plusDays(answer.freshness.closed_days_through, 1)} what="sessions" />
        ) : (
          <Stack>
            <Figure
              name="funnel-whole"
              title="From view to finish"
              table={withBefore(wholeTable(answer), before && wholeTable(before))}
              call={question}
              file={[...file, "whole"]}
              busy={busy}
            >
              <TableTiles table={wholeTable(answer)} before={before && wholeTable(before)} />
            </Figure>
            <Figure
              name="funnel-pages"
              title="Page by page"
              note="Of those who started: who came to a page, who went on (green) and who left the quiz there (red). Who went back and left counts where they left."
              table={withBefore(funnelTable(answer), before && funnelTable(before))}
              call={question}
              file={[...file, "pages"]}
              busy={busy}
            >
              <BarTable
                label="Page by page"
                table={funnelTable(answer)}
                before={before && funnelTable(before)}
                name="title"
                most={Math.max(answer.starts, ...answer.pages.map((page) => page.sessions_reached))}
                bars={[
                  { column: "sessions_continued", label: "Went on", color: "teal.6" },
                  { column: "sessions_dropped", label: "Lost", color: "red.6" },
                ]}
                show={[
                  "sessions_reached",
                  "sessions_dropped",
                  "dropped_share_of_starts",
                  "sessions_skipped",
                  "sessions_went_back",
                  "avg_time_on_page_ms",
                ]}
                nameOf={(row, text) => (
                  <PageName page={answer.pages.find(({ page_key }) => page_key === row.key)} text={text} />
                )}
              />
            </Figure>
          </Stack>
        )
      }
    </QueryView>
  );
}

function FunnelSkeleton() {
  return (
    <Stack>
      <Tiles>
        {whole.map(({ key }) => (
          <BoxSkeleton key={key} height={76} />
        ))}
      </Tiles>
      <BoxSkeleton height={420} />
    </Stack>
  );
}
