import { Select } from "@mantine/core";
import type { AnalyticsAnswers } from "../../client/src/index.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { BarTable } from "./bar-table.tsx";
import { plusDays } from "./days.ts";
import { EmptyDays } from "./empty-days.tsx";
import { Figure } from "./figure.tsx";
import { withBefore } from "./figure-table.ts";
import { cellText } from "./figure-text.ts";
import { PageName } from "./page-name.tsx";
import { quizAnswers } from "./questions.ts";
import { StatTile, Tiles } from "./stat-tile.tsx";
import { answersTable } from "./tables.ts";
import { type TabProps, useCompared } from "./use-compared.ts";

const skeleton = <BoxSkeleton height={460} />;
const outcomes = ["completion_rate", "buyers", "buyer_rate", "answer_orders", "answer_revenue", "opt_in_rate"];

/** How shoppers answered a question, and what each answer sold. */
export function AnswersTab(props: TabProps & { quizId: string }) {
  const { quizId, search } = props;
  const more = search.component_key === undefined ? {} : { component_key: search.component_key };
  const { question, query, before, busy, file } = useCompared(props, "answers", (common) =>
    quizAnswers(quizId, common, more),
  );
  return (
    <QueryView query={query} skeleton={skeleton}>
      {(answer: AnalyticsAnswers) => {
        if (answer.question === null) return answer.freshness.pending ? skeleton : <NoQuestions />;
        const isNumber = answer.question.kind === "number";
        const table = answersTable(answer);
        const same = before?.question?.component_key === answer.question.component_key ? before : undefined;
        const then = same && answersTable(same);
        return (
          <Figure
            name="answers"
            title={answer.question.question || answer.question.component_key}
            note={
              <span data-stat="answered" data-value={answer.answered}>
                {cellText(answer.answered, "count")} sessions answered it in these days.
              </span>
            }
            table={withBefore(table, then)}
            call={question}
            file={[...file, answer.question.component_key]}
            busy={busy}
            controls={<QuestionSelect {...props} answer={answer} />}
          >
            {answer.answered === 0 && !answer.freshness.pending ? (
              <EmptyDays {...props} today={plusDays(answer.freshness.closed_days_through, 1)} what="answers" />
            ) : (
              <>
                <NumberSummary answer={answer} />
                <BarTable
                  label={answer.question.question}
                  table={table}
                  before={then}
                  name="label"
                  most={Math.max(answer.answered, 1)}
                  bars={[{ column: isNumber ? "answered" : "chose", label: "Share of answers", color: "violet.6" }]}
                  show={isNumber ? ["answered", "answered_share", ...outcomes] : ["chose", "chose_share", ...outcomes]}
                  nameOf={(row, text) => (
                    <PageName page={answer.options.find(({ option_id }) => option_id === row.key)} text={text} />
                  )}
                />
              </>
            )}
          </Figure>
        );
      }}
    </QueryView>
  );
}

function NoQuestions() {
  return (
    <EmptyState
      title="No question that can be counted"
      text="Questions with choices, images or numbers are counted here. Add one to the quiz and publish it."
    />
  );
}

function QuestionSelect({ search, setSearch, answer }: TabProps & { answer: AnalyticsAnswers }) {
  const { question, questions } = answer;
  const listed = questions.some(({ component_key }) => component_key === question?.component_key);
  const all = listed || question === null ? questions : [...questions, question];
  return (
    <Select
      size="xs"
      w={260}
      aria-label="Question"
      allowDeselect={false}
      searchable
      data={all.map(({ component_key, question: text }) => ({ value: component_key, label: text || component_key }))}
      value={question?.component_key ?? null}
      onChange={(value) => value !== null && setSearch({ ...search, component_key: value })}
    />
  );
}

function NumberSummary({ answer: { summary } }: { answer: AnalyticsAnswers }) {
  if (summary === null) return null;
  const tiles = [
    ["count", "Answers", "count"],
    ["min", "Smallest", "number"],
    ["max", "Largest", "number"],
    ["mean", "Mean", "number"],
    ["median", "Median", "number"],
  ] as const;
  return (
    <Tiles>
      {tiles.map(([key, label, kind]) => (
        <StatTile key={key} name={`summary_${key}`} label={label} value={summary[key]} kind={kind} />
      ))}
    </Tiles>
  );
}
