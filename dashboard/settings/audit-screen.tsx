import { Badge, Group, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type AuditEntry, listAudit } from "../api/generated.ts";
import { useAddress } from "../app/address.tsx";
import { useApi } from "../app/api.ts";
import { oneOf } from "../app/search.ts";
import { useMember } from "../app/session.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { When } from "../ui/when.tsx";
import { auditActions, sayAction, sayDetails } from "./audit-words.ts";
import { SettingsPage } from "./settings-page.tsx";

const columns: Column<AuditEntry>[] = [
  { key: "what", header: "What", cell: (entry) => <What entry={entry} /> },
  { key: "who", header: "Who", cell: (entry) => <Who entry={entry} /> },
  { key: "at", header: "When", cell: ({ at }) => <When at={at} /> },
  { key: "from", header: "From where", cell: ({ address }) => <span className="qs-mono">{address ?? "–"}</span> },
];

/** Who did what in the store, newest first. */
export function AuditScreen() {
  const api = useApi();
  const { role } = useMember();
  const { params, change } = useAddress();
  const action = oneOf(params, "action");
  const query = useInfiniteQuery({
    queryKey: ["audit", action],
    queryFn: ({ pageParam }) =>
      listAudit(api, { query: { limit: 50, ...(pageParam && { cursor: pageParam }), ...(action && { action }) } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    enabled: role === "owner",
  });
  const choose = (value: string | null) => change({ ...params, action: value }, { push: true });
  const { hasNextPage, fetchNextPage, isFetchingNextPage, error, data, refetch } = query;
  return (
    <SettingsPage
      title="Audit log"
      description="Who did what in this store. Entries are kept for 400 days."
      ownersOnly
      actions={
        <Select
          aria-label="Action"
          placeholder="Every action"
          data={auditActions}
          value={action}
          onChange={choose}
          clearable
          searchable
          clearButtonProps={{ "aria-label": "Every action" }}
        />
      }
    >
      {error !== null && <ProblemNote error={error} retry={refetch} />}
      {(data !== undefined || error === null) && (
        <DataTable
          label="Audit log"
          columns={columns}
          rows={data?.pages.flatMap((page) => page.data)}
          rowKey={({ id }) => id}
          more={hasNextPage ? { load: () => void fetchNextPage(), isLoading: isFetchingNextPage } : undefined}
          empty={
            action === null ? (
              <EmptyState title="No entries yet" text="Changes of people, keys, settings and quizzes appear here." />
            ) : (
              <EmptyState title="No entries of this kind" text="Choose another action, or every action." />
            )
          }
        />
      )}
    </SettingsPage>
  );
}

const What = ({ entry: { action, actor, target, details } }: { entry: AuditEntry }) => (
  <>
    {sayAction(action)}
    {target !== null && target !== actor.name && (
      <>
        {" "}
        <span className="qs-name">{target}</span>
      </>
    )}
    {Object.keys(details).length > 0 && <div className="qs-second qs-name">{sayDetails(details)}</div>}
  </>
);

const Who = ({ entry: { actor } }: { entry: AuditEntry }) => (
  <Group gap="xs">
    <span className="qs-name">{actor.name || actor.kind}</span>
    {actor.support && (
      <Badge variant="light" color="orange">
        Support
      </Badge>
    )}
    {actor.kind === "key" && (
      <Badge variant="light" color="gray">
        API key
      </Badge>
    )}
  </Group>
);
