import { Anchor, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { AnalyticsComparison, DayRange } from "../../client/src/index.ts";
import { BarTable } from "../analytics/bar-table.tsx";
import { Figure } from "../analytics/figure.tsx";
import { comparison } from "../analytics/questions.ts";
import { comparisonTable } from "../analytics/tables.ts";
import { useQuestion } from "../analytics/use-question.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";

interface BestQuizzesProps {
  zone: string;
  /** the days of the figures above */
  range: DayRange | null;
  store: string;
}

const skeleton = <BoxSkeleton height={260} />;

/** The quizzes that earn most. */
export function BestQuizzes({ zone, range, store }: BestQuizzesProps) {
  const days = range ? { from: range.start, to: range.end } : {};
  const question = comparison({ tz: zone, ...days }, { sort: "revenue", dir: "desc", limit: 10 });
  const query = useQuestion(question, { live: true, enabled: range !== null });
  return (
    <QueryView query={query} skeleton={skeleton}>
      {(answer: AnalyticsComparison) => (
        <Figure
          name="best-quizzes"
          title="Top quizzes"
          table={comparisonTable(answer)}
          call={question}
          file={[store, "quizzes", answer.range.start, answer.range.end]}
          busy={query.isPlaceholderData}
        >
          {answer.freshness.pending ? (
            skeleton
          ) : answer.data.length === 0 ? (
            <EmptyState
              title="There is no quiz yet"
              text="Make one from a template; its figures appear here with the first shopper."
              action={
                <Button component={Link} to="/quizzes">
                  Go to quizzes
                </Button>
              }
            />
          ) : (
            <BarTable
              label="Top quizzes"
              table={comparisonTable(answer)}
              name="name"
              bars={[{ column: "revenue", label: "Revenue", color: "indigo.6" }]}
              show={["revenue", "orders", "starts", "completion_rate"]}
              nameOf={(row, text) => (
                <Anchor component={Link} to={`/quizzes/${row.key}`} size="sm" className="qs-name">
                  {text || "Untitled quiz"}
                </Anchor>
              )}
            />
          )}
        </Figure>
      )}
    </QueryView>
  );
}
