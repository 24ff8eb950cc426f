import { Alert, Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { approvePublishing, declinePublishing, getApproval, type ShownApproval } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { may, useMember } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { notifyDone } from "../ui/notify.ts";
import { Page } from "../ui/page.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { DifferenceTable } from "./parts/difference-table.tsx";
import "./editor.css";

const title = "Publishing asked for by an assistant";
const back = { to: "/quizzes", label: "Quizzes" };

/** What an assistant wants to publish: the person sees what changes for shoppers, and decides [mcp.approval-screen]. */
export function ApprovalScreen() {
  const { approvalId = "" } = useParams({ strict: false });
  if (!may(useMember(), "quizzes:publish")) {
    return (
      <Page title={title} back={back}>
        <EmptyState
          title="Publishing is approved by editors and owners"
          text="Send this page's address to one of them, or ask an owner of this store for that role."
        />
      </Page>
    );
  }
  return <Deciding id={approvalId} />;
}

function Deciding({ id }: { id: string }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ["approval", id],
    queryFn: ({ signal }) => getApproval(api, { path: { approval_id: id } }, { signal }),
    staleTime: 0,
  });
  return (
    <Page title={title} back={back}>
      <QueryView query={query}>
        {(approval) => (
          <>
            <Asked approval={approval} />
            <Changes approval={approval} />
            {approval.status === "open" ? <Decision approval={approval} /> : <Closed status={approval.status} />}
          </>
        )}
      </QueryView>
    </Page>
  );
}

const Asked = ({ approval }: { approval: ShownApproval }) => (
  <Card title="What is asked">
    <Text>
      An assistant that works for <strong>{approval.requested_by}</strong> asks to make version{" "}
      {approval.version.number} of <strong>{approval.quiz_name}</strong> live
      {approval.live === null
        ? ". Nothing of this quiz is live yet."
        : `, in place of version ${approval.live.number}.`}
    </Text>
    {approval.version.label !== null && <Text size="sm">Its label: {approval.version.label}</Text>}
    {approval.status === "open" && (
      <Text size="sm" c="dimmed">
        Can be decided until <When at={approval.expires_at} />. If you did not expect this, decline.
      </Text>
    )}
  </Card>
);

const Changes = ({ approval: { changes, findings } }: { approval: ShownApproval }) => (
  <>
    <h2 className="qs-ed-h3">What changes for shoppers</h2>
    <DifferenceTable changes={changes} label="What differs from what is live" />
    {findings.length > 0 && (
      <>
        <h2 className="qs-ed-h3">What to look at</h2>
        <ul className="qs-ed-findings" aria-label="Issues">
          {findings.map(({ severity, path, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one field may have the same finding twice
            <li key={index} data-severity={severity}>
              <strong>{severity === "error" ? "Error" : "Warning"}</strong> {path}: {message}
            </li>
          ))}
        </ul>
      </>
    )}
  </>
);

function Decision({ approval: { id, version } }: { approval: ShownApproval }) {
  const api = useApi();
  const client = useQueryClient();
  const path = { approval_id: id };
  const approve = useMutation({
    mutationFn: () => approvePublishing(api, { path }),
    onSuccess: () => notifyDone("Published. Shoppers are served it from now on."),
    onSettled: () => client.invalidateQueries(),
  });
  const decline = useMutation({
    mutationFn: () => declinePublishing(api, { path }),
    onSuccess: () => notifyDone("Declined. Nothing was published."),
    onSettled: () => client.invalidateQueries(),
  });
  const isBusy = approve.isPending || decline.isPending;
  const error = approve.error ?? decline.error;
  return (
    <>
      {error !== null && <ProblemNote error={error} />}
      <Group mt="md">
        <Button loading={approve.isPending} disabled={isBusy} onClick={() => approve.mutate()}>
          Approve and publish version {version.number}
        </Button>
        <Button variant="default" loading={decline.isPending} disabled={isBusy} onClick={() => decline.mutate()}>
          Decline
        </Button>
      </Group>
    </>
  );
}

const closed: Readonly<Record<Exclude<ShownApproval["status"], "open">, string>> = {
  published: "This was approved: the version was published.",
  declined: "This was declined: nothing was published.",
  expired: "The ten minutes to decide have passed: nothing was published. The assistant can ask again.",
  outdated:
    "Another version has gone live since this was asked for: nothing was published. The assistant can ask again.",
};

const Closed = ({ status }: { status: keyof typeof closed }) => (
  <Alert mt="md" color={status === "published" ? "green" : "gray"} variant="light" role="status">
    <Text size="sm">{closed[status]}</Text>
  </Alert>
);
