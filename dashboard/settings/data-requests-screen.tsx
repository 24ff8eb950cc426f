import { Button, Group, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { closeDataRequest, type DataRequest, getRequestedData, listDataRequests } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { saveFile } from "../people/save-file.ts";
import { StateBadge, Whole } from "../people/state-badge.tsx";
import { useConfirm, usePasswordAgain } from "../ui/confirm.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { notifyDone } from "../ui/notify.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { useSending } from "../ui/sending.ts";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import { SettingsPage } from "./settings-page.tsx";

const columns: Column<DataRequest>[] = [
  { key: "at", header: "Received", cell: ({ received_at: at }) => <When at={at} /> },
  { key: "state", header: "State", cell: (request) => <State request={request} /> },
  { key: "id", header: "Request", cell: ({ request_id: id }) => <span className="qs-mono">{id}</span> },
  { key: "answer", header: "Answer", bare: true, cell: (request) => <Answer request={request} /> },
];

/** Customers who asked through the commerce platform what is stored about them. */
export function DataRequestsScreen() {
  const api = useApi();
  const { role } = useMember();
  const query = useQuery({
    queryKey: ["data requests"],
    queryFn: ({ signal }) => listDataRequests(api, { signal }),
    enabled: role === "owner",
  });
  return (
    <SettingsPage
      title="Data requests"
      description="Customers who asked the shop's platform what is stored about them. Hand out the file, then mark the request as answered."
      ownersOnly
    >
      <QueryView query={query}>
        {({ data }) => (
          <DataTable
            label="Data requests, newest first"
            columns={columns}
            rows={data}
            rowKey={({ request_id: id }) => id}
            empty={
              <EmptyState
                title="No requests yet"
                text="A request that the platform passes on appears here. Of one who asks you directly, open the person and download all data."
              />
            }
          />
        )}
      </QueryView>
    </SettingsPage>
  );
}

const State = ({ request: { answered_at: at } }: { request: DataRequest }) =>
  at === null ? (
    <StateBadge color="orange">Waits for an answer</StateBadge>
  ) : (
    <Whole>
      Answered <When at={at} />
    </Whole>
  );

function Answer({ request }: { request: DataRequest }) {
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const withPassword = usePasswordAgain();
  const { dateTime } = useFormat();
  const { isSending, error, send } = useSending();
  if (request.answered_at !== null) return null;
  const path = { request_id: request.request_id };
  const came = dateTime(request.received_at);
  const refresh = () => queries.invalidateQueries({ queryKey: ["data requests"] });
  const download = () =>
    send(async () => {
      const data = await withPassword(() => getRequestedData(api, { path }));
      if (data === null) return;
      saveFile(`data-request-${path.request_id}.json`, `${JSON.stringify(data, null, 2)}\n`, "application/json");
      notifyDone("The file holds everything that is stored about this customer.");
    });
  const close = async () => {
    const done = await confirm({
      title: "Mark as answered?",
      verb: "Mark as answered",
      destroys: (
        <Text>
          Whom the request of <b>{came}</b> was about is forgotten: its file cannot be downloaded again.
        </Text>
      ),
      run: () => closeDataRequest(api, { path }),
    });
    if (done === null) return;
    notifyDone("The request is marked as answered.");
    await refresh();
  };
  return (
    <>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          loading={isSending}
          onClick={() => void download()}
          aria-label={`Download the data that was asked for ${came}`}
        >
          Download the data
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => void close()}
          aria-label={`Mark as answered: ${came}`}
        >
          Mark as answered…
        </Button>
      </Group>
      {error !== null && <ProblemNote error={error} says={{ not_found: "Somebody has answered it meanwhile." }} />}
    </>
  );
}
