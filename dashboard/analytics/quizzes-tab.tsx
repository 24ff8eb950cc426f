import { Anchor, Badge, Button, Group, Pagination, Select, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { AnalyticsComparison, ComparisonRow } from "../../client/src/index.ts";
import { comparisonSorts } from "../../contract/analytics-values.ts";
import { type Column, DataTable, type Sort } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { Change } from "./change.tsx";
import { Figure } from "./figure.tsx";
import { type CellKind, withBefore } from "./figure-table.ts";
import { rawValue } from "./figure-table-view.tsx";
import { cellText } from "./figure-text.ts";
import { comparison } from "./questions.ts";
import { comparisonTable } from "./tables.ts";
import { limits, oneOf, rowsAtMost } from "./url-state.ts";
import { type TabProps, useCompared } from "./use-compared.ts";

const skeleton = <BoxSkeleton height={520} />;

type SortName = (typeof comparisonSorts)[number];

interface Figured {
  key: keyof ComparisonRow & string;
  header: string;
  kind: CellKind;
  sort?: SortName;
}

const figures: readonly Figured[] = [
  { key: "views", header: "Views", kind: "count", sort: "views" },
  { key: "starts", header: "Starts", kind: "count", sort: "starts" },
  { key: "completion_rate", header: "Completion rate", kind: "share", sort: "completion_rate" },
  { key: "email_opt_ins", header: "Email opt-ins", kind: "count", sort: "opt_ins" },
  { key: "phone_opt_ins", header: "Phone opt-ins", kind: "count" },
  { key: "orders", header: "Orders", kind: "count", sort: "orders" },
  { key: "revenue", header: "Revenue", kind: "money", sort: "revenue" },
  { key: "attributed_share", header: "Share of shop revenue", kind: "share", sort: "share" },
];

/** Compares the store's quizzes: search by name, sort by any figure, paged. */
export function QuizzesTab(props: TabProps & { standardSort?: SortName; actions?: ReactNode }) {
  const { search, setSearch, standardSort = "revenue" } = props;
  const sort = oneOf(comparisonSorts, search.sort) ?? standardSort;
  const dir = search.dir ?? (sort === "name" ? "asc" : "desc");
  const limit = search.limit ?? 25;
  const { offset, ...first } = search;
  const { question, query, before, busy, file } = useCompared(props, "quizzes", (common, period) =>
    comparison(common, {
      sort,
      dir,
      ...(search.q === undefined ? {} : { q: search.q }),
      // in the previous period, the quizzes of this page may be on other pages
      ...(period === "before" ? { limit: rowsAtMost } : { limit, ...(offset === undefined ? {} : { offset }) }),
    }),
  );
  const onSort = ({ key, descending }: Sort) => {
    const name = key === "name" ? "name" : figures.find((figure) => figure.key === key)?.sort;
    if (name) setSearch({ ...first, sort: name, dir: descending ? "desc" : "asc" });
  };
  const sorted: Sort = {
    key: figures.find((figure) => figure.sort === sort)?.key ?? "name",
    descending: dir === "desc",
  };
  return (
    <QueryView query={query} skeleton={skeleton}>
      {(answer: AnalyticsComparison) => (
        <Figure
          name="quizzes"
          title="Compare quizzes"
          note={<Counted answer={answer} />}
          table={withBefore(comparisonTable(answer), before && comparisonTable(before), false)}
          call={question}
          file={file}
          busy={busy}
          controls={<QuizSearch {...props} limit={limit} />}
        >
          {answer.data.length === 0 ? (
            <NoQuiz
              answer={answer}
              toFirst={() => setSearch(first)}
              isSearched={search.q !== undefined}
              actions={props.actions}
            />
          ) : (
            <>
              <DataTable
                label="Quizzes"
                columns={columnsOf(before)}
                rows={answer.data}
                rowKey={({ quiz_id }) => quiz_id}
                sort={sorted}
                onSort={onSort}
              />
              <Pages answer={answer} onPage={(offset) => setSearch(offset > 0 ? { ...first, offset } : first)} />
            </>
          )}
        </Figure>
      )}
    </QueryView>
  );
}

function columnsOf(before: AnalyticsComparison | undefined): Column<ComparisonRow>[] {
  const earlier = new Map((before?.data ?? []).map((row) => [row.quiz_id, row]));
  return [
    {
      key: "name",
      header: "Quiz",
      sortable: true,
      primary: true,
      cell: (row) => <QuizName row={row} />,
    },
    ...figures.map(
      ({ key, header, kind, sort }): Column<ComparisonRow> => ({
        key,
        header,
        sortable: sort !== undefined,
        align: "end",
        cell: (row) => (
          <span data-quiz={row.quiz_id} data-column={key} data-value={rawValue(row[key])}>
            {cellText(row[key], kind)}
            {before ? <Change now={row[key]} before={earlier.get(row.quiz_id)?.[key] ?? null} kind={kind} /> : null}
          </span>
        ),
      }),
    ),
  ];
}

export function QuizName({ row }: { row: Pick<ComparisonRow, "quiz_id" | "name" | "status"> }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Anchor component={Link} to={`/quizzes/${row.quiz_id}`} className="qs-name">
        {row.name || "Untitled quiz"}
      </Anchor>
      {row.status === "draft" ? (
        <Badge size="xs" variant="light" color="gray">
          Draft
        </Badge>
      ) : null}
    </Group>
  );
}

const Counted = ({ answer: { total, offset, data } }: { answer: AnalyticsComparison }) => (
  <Text component="span" inherit data-stat="total" data-value={total}>
    {data.length === 0 ? "None" : `${offset + 1} to ${offset + data.length} of ${total}`}
  </Text>
);

function QuizSearch({ search, setSearch, limit }: TabProps & { limit: number }) {
  const { offset: _, ...fromFirst } = search;
  const { q: said = "", ...rest } = fromFirst;
  // the typed text until the address has it; then the address's text, which Back or a link may change
  const [typed, setTyped] = useState<string | null>(null);
  if (typed === said) setTyped(null);
  const find = useDebouncedCallback((text: string) => {
    if (text === said) return;
    // a whole word is one Back step, not each letter
    setSearch({ ...rest, ...(text === "" ? {} : { q: text }) }, { replace: said !== "" && text !== "" });
  }, 250);
  return (
    <Group gap="xs">
      <TextInput
        size="xs"
        type="search"
        aria-label="Find a quiz by name"
        placeholder="Find a quiz"
        maxLength={200}
        value={typed ?? said}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          find(value);
        }}
      />
      <Select
        size="xs"
        w={110}
        aria-label="Quizzes a page"
        allowDeselect={false}
        data={limits.map((value) => ({ value: String(value), label: `${value} a page` }))}
        value={String(limit)}
        onChange={(value) => value !== null && setSearch({ ...fromFirst, limit: Number(value) })}
      />
    </Group>
  );
}

function Pages({
  answer: { total, limit, offset },
  onPage,
}: {
  answer: AnalyticsComparison;
  onPage: (offset: number) => void;
}) {
  if (total <= limit) return null;
  return (
    <Group justify="center" mt="md">
      <Pagination
        total={Math.ceil(total / limit)}
        value={Math.floor(offset / limit) + 1}
        onChange={(page) => onPage((page - 1) * limit)}
        getControlProps={(control) => ({ "aria-label": `${control[0]?.toUpperCase()}${control.slice(1)} page` })}
        getItemProps={(page) => ({ "aria-label": `Page ${page}` })}
      />
    </Group>
  );
}

interface NoQuizProps {
  answer: AnalyticsComparison;
  toFirst: () => void;
  isSearched: boolean;
  actions: ReactNode;
}

function NoQuiz({ answer, toFirst, isSearched, actions }: NoQuizProps) {
  if (answer.freshness.pending) return skeleton;
  if (answer.total > 0) {
    return (
      <EmptyState
        title="There is no such page"
        text="The list has become shorter, or the link is old."
        action={
          <Button variant="default" onClick={toFirst}>
            Show the first page
          </Button>
        }
      />
    );
  }
  if (isSearched) return <EmptyState title="No quiz has this in its name" text="Look for a shorter part of it." />;
  return (
    <EmptyState
      title="There is no quiz yet"
      text="Make one from a template, publish it, and put it on a page of the shop. Its figures appear here with the first shopper."
      action={actions}
    />
  );
}
