import { Badge, Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { endAllSessions, endSession, listSessions, type Session } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { Card } from "../ui/card.tsx";
import { useConfirm } from "../ui/confirm.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { notifyProblem } from "../ui/notify.ts";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { browserName } from "./browser-name.ts";

/** The person's sessions; each can be ended. */
export function SessionsCard() {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: ["my-sessions"], queryFn: () => listSessions(personApi) });
  const confirm = useConfirm();
  const refresh = () => queries.invalidateQueries({ queryKey: ["my-sessions"] });
  const end = (session: Session) =>
    endSession(personApi, { path: { session_id: session.id } })
      .then(refresh)
      .catch(notifyProblem);
  const endOthers = () =>
    confirm({
      title: "Sign out everywhere else?",
      destroys:
        "Every session but this one ends. Whoever works there is asked to sign in again, and keeps what is typed.",
      verb: "Sign out everywhere else",
      run: async () => {
        await endAllSessions(personApi, { query: { keep_this: true } });
        await refresh();
      },
    });
  const columns: Column<Session>[] = [
    {
      key: "browser",
      header: "Browser",
      cell: (session) => (
        <Group gap="xs">
          {browserName(session.user_agent)}
          {session.current && <Badge variant="light">This one</Badge>}
        </Group>
      ),
    },
    { key: "address", header: "From", cell: (session) => <span className="qs-mono">{session.address}</span> },
    { key: "used", header: "Last used", cell: (session) => <When at={session.used_at} ago /> },
    {
      key: "end",
      header: "End",
      bare: true,
      cell: (session) =>
        session.current ? null : (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => end(session)}
            aria-label={`Sign out of ${browserName(session.user_agent)} at ${session.address}`}
          >
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <Card
      title="Where you are signed in"
      side={
        <Button variant="default" size="xs" onClick={endOthers} disabled={(query.data?.data.length ?? 0) < 2}>
          Sign out everywhere else
        </Button>
      }
    >
      <QueryView query={query}>
        {({ data }) => <DataTable label="Sessions" columns={columns} rows={data} rowKey={({ id }) => id} />}
      </QueryView>
    </Card>
  );
}
