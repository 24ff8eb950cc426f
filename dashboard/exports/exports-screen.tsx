import { Loader, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ExportSummary } from "../../client/src/index.ts";
import { listExports } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { useMember } from "../app/session.ts";
import { lookAgain, type More, moreOf } from "../people/more.ts";
import { StateBadge, Whole } from "../people/state-badge.tsx";
import { useQuizName } from "../people/use-quizzes.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import { AskExport } from "./ask-export.tsx";
import { DownloadButton } from "./export-progress.tsx";
import {
  datasetsFor,
  datasetWords,
  filterWords,
  formatWords,
  holdsContacts,
  isUnfinished,
  layoutOf,
  statusWords,
} from "./export-words.ts";

/** All files that were requested, here or through the API. */
export function ExportsScreen() {
  const member = useMember();
  const list = useExports();
  const may = datasetsFor(member.scopes).length > 0;
  return (
    <Page
      title="Exports"
      description="Files of people, answers and figures. Each is kept for seven days."
      actions={<AskExport label="New export…" variant="filled" />}
    >
      <QueryView query={list}>
        {({ pages }) => (
          <ExportsTable
            exports={pages.flatMap((page) => page.data)}
            more={moreOf(list)}
            empty={
              <EmptyState
                title="No exports yet"
                text={
                  may
                    ? "Ask for one here, or by Export on any list and figure: it is made in the background."
                    : "Editors and owners of the store can ask for files."
                }
              />
            }
          />
        )}
      </QueryView>
    </Page>
  );
}

function useExports() {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["exports"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      listExports(api, { query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } }, { signal }),
    getNextPageParam: (page) => page.next_cursor,
    // poll while an export is running
    refetchInterval: (query) =>
      polled(
        query,
        lookAgain(
          query.state.data?.pages,
          query.state.data?.pages.some((page) => page.data.some(isUnfinished)) ? 1_500 : 60_000,
        ),
      ),
  });
}

interface TableProps {
  exports: ExportSummary[];
  more: More;
  empty: React.ReactNode;
}

function ExportsTable({ exports, more, empty }: TableProps) {
  const format = useFormat();
  return (
    <DataTable
      label="Exports, newest first"
      rows={exports}
      rowKey={({ id }) => id}
      more={more}
      empty={empty}
      columns={[
        { key: "what", header: "What", primary: true, cell: (file) => <WhatCell file={file} /> },
        {
          key: "asked",
          header: "Requested",
          cell: ({ requested_at, source }) => (
            <>
              <Whole>
                <When at={requested_at} />
              </Whole>
              {source === "api" && (
                <Text size="sm" c="dimmed">
                  by the API
                </Text>
              )}
            </>
          ),
        },
        { key: "status", header: "State", cell: (file) => <StatusCell file={file} /> },
        {
          key: "rows",
          header: "Rows",
          align: "end",
          cell: ({ row_count }) => (row_count === null ? "" : format.number(row_count)),
        },
        {
          key: "size",
          header: "Size",
          align: "end",
          cell: ({ bytes }) => (bytes === null ? "" : <Whole>{format.bytes(bytes)}</Whole>),
        },
        { key: "action", header: "File", bare: true, cell: (file) => <FileCell file={file} /> },
      ]}
    />
  );
}

function WhatCell({ file }: { file: ExportSummary }) {
  const words = filterWords(file.filters, useQuizName());
  return (
    <>
      <Text fw={500}>
        {datasetWords[file.dataset].label} ({formatWords(file)})
      </Text>
      <Text size="sm" c="dimmed" lineClamp={3} dir="auto" style={{ overflowWrap: "anywhere" }}>
        {words.length === 0 ? "Everything" : words.join(", ")}
      </Text>
    </>
  );
}

function StatusCell({ file }: { file: ExportSummary }) {
  const { status } = file;
  const { label, color } = statusWords[status];
  return (
    <Stack gap={2} align="flex-start">
      <StateBadge color={color} {...(isUnfinished(file) ? { leftSection: <Loader size={10} aria-hidden /> } : {})}>
        {label}
      </StateBadge>
      {status === "completed" && (
        <Text size="sm" c="dimmed">
          until <When at={file.expires_at} />
        </Text>
      )}
      {status === "expired" && (
        <Text size="sm" c="dimmed">
          the file was removed <When at={file.expires_at} />
        </Text>
      )}
      {file.error !== null && (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {file.error}
        </Text>
      )}
    </Stack>
  );
}

/** Only members who may see contacts can download a file with contacts. */
function FileCell({ file }: { file: ExportSummary }) {
  const member = useMember();
  const { status } = file;
  if (isUnfinished(file)) return null;
  if (holdsContacts(file.dataset) && !datasetsFor(member.scopes).includes(file.dataset)) {
    return (
      <Text size="sm" c="dimmed">
        Holds contacts: for owners
      </Text>
    );
  }
  if (status === "completed") return <DownloadButton id={file.id} label="Download" small />;
  // an expired file can be requested again with the same filters [dashboard-exports.expired]
  const { dataset, filters } = file;
  return <AskExport dataset={dataset} filters={filters} layout={layoutOf(file)} label="Ask again…" size="compact-sm" />;
}
