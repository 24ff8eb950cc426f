import type { AnalyticsSummary } from "../../client/src/index.ts";
import { Figure } from "../analytics/figure.tsx";
import { type Cell, numberIn } from "../analytics/figure-table.ts";
import { rawValue } from "../analytics/figure-table-view.tsx";
import { cellText, changeText, dayText } from "../analytics/figure-text.ts";
import type { Question } from "../analytics/questions.ts";
import { StatTile, Tiles } from "../analytics/stat-tile.tsx";
import { type SummaryName, summaryKind, summaryLabels, summaryNames, summaryTable } from "../analytics/tables.ts";
import type { QuestionQuery } from "../analytics/use-question.ts";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { Sparkline } from "./sparkline.tsx";
import { sparklineTable } from "./sparkline-table.ts";

const colors: Readonly<Record<SummaryName, string>> = {
  views: "blue.6",
  starts: "teal.6",
  completions: "green.7",
  opt_ins: "grape.6",
  orders: "orange.6",
  revenue: "indigo.6",
  refunded: "red.7",
  net_revenue: "violet.6",
};

interface SummaryTilesProps {
  question: Question<AnalyticsSummary>;
  query: QuestionQuery<AnalyticsSummary>;
  store: string;
}

/** The shop's figures, compared with the same number of days before. */
export function SummaryTiles({ question, query, store }: SummaryTilesProps) {
  return (
    <QueryView query={query} skeleton={<BoxSkeleton height={280} />}>
      {(answer: AnalyticsSummary) => (
        <Figure
          name="summary"
          title="The shop's figures"
          note={`${dayText(answer.range.start)} – ${dayText(answer.range.end)}, compared with ${dayText(answer.previous_range.start)} – ${dayText(answer.previous_range.end)}. Today so far is dashed.`}
          table={summaryTable(answer)}
          more={[{ name: "days", title: "Day by day", table: sparklineTable(answer) }]}
          call={question}
          file={[store, "summary", answer.range.start, answer.range.end]}
          busy={query.isPlaceholderData}
        >
          <Tiles>
            {summaryNames.map((name) => {
              const { current, delta_pct, previous, sparkline } = answer[name];
              const kind = summaryKind(name);
              return (
                <StatTile key={name} name={name} label={summaryLabels[name]} value={current} kind={kind}>
                  <Delta percent={delta_pct} before={previous} kind={kind} />
                  <Sparkline values={sparkline.map((value) => numberIn(value) ?? 0)} color={colors[name]} />
                </StatTile>
              );
            })}
          </Tiles>
        </Figure>
      )}
    </QueryView>
  );
}

function Delta({ percent, before, kind }: { percent: number | null; before: Cell; kind: "count" | "money" }) {
  const way = percent === null || percent === 0 ? "" : percent > 0 ? "up" : "down";
  return (
    <span className="qs-change" data-before={rawValue(before)} data-delta={percent ?? ""}>
      {percent === null ? "" : <strong className={`qs-delta ${way}`}>{changeText(percent)}</strong>}
      {percent === null ? "" : ", "}was {cellText(before, kind)}
    </span>
  );
}
