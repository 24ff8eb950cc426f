import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { WebhookEndpoint } from "../../client/src/index.ts";
import { may, useMember } from "../app/session.ts";
import { StateBadge } from "../people/state-badge.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import { AddEndpoint } from "./add-endpoint.tsx";
import { DeveloperNav } from "./developer-nav.tsx";
import { useEndpoints, useHealth } from "./use-endpoints.ts";
import { healthOf } from "./webhook-words.ts";

/** The store's webhook endpoints and their health. */
export function WebhooksScreen() {
  const member = useMember();
  const allowed = may(member, "webhooks:manage");
  const add = allowed ? <AddEndpoint /> : undefined;
  return (
    <Page
      title="Webhooks"
      description="Events are sent to these addresses as they happen, signed and until they arrive."
      actions={add}
    >
      <DeveloperNav />
      {allowed ? (
        <Endpoints />
      ) : (
        <EmptyState title="Webhooks are for editors and owners" text="Ask an owner of this store for that role." />
      )}
    </Page>
  );
}

function Endpoints() {
  const endpoints = useEndpoints();
  return (
    <QueryView query={endpoints}>
      {(rows) => (
        <DataTable
          label="Endpoints, newest first"
          rows={rows}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              title="No endpoints yet"
              text="Add one to be told when a shopper finishes a quiz, leaves a contact, and more."
            />
          }
          columns={[
            { key: "url", header: "Address", primary: true, cell: (endpoint) => <AddressCell endpoint={endpoint} /> },
            { key: "health", header: "Health", cell: (endpoint) => <HealthCell endpoint={endpoint} /> },
            {
              key: "topics",
              header: "Events",
              cell: ({ topics, quiz_ids }) => (
                <Text size="sm">
                  {topics.length === 1 ? topics[0] : `${topics.length} topics`}
                  {quiz_ids !== null && `, of ${quiz_ids.length} ${quiz_ids.length === 1 ? "quiz" : "quizzes"}`}
                </Text>
              ),
            },
            { key: "contacts", header: "Contacts", cell: ({ include_pii }) => (include_pii ? "Sent" : "Left out") },
            { key: "day", header: "Last 24 hours", cell: (endpoint) => <DayCell endpoint={endpoint} /> },
          ]}
        />
      )}
    </QueryView>
  );
}

function AddressCell({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <>
      <Anchor component={Link} to={`/developers/webhooks/${endpoint.id}`} fw={500} className="qs-name" lineClamp={2}>
        {endpoint.url}
      </Anchor>
      {endpoint.description !== null && (
        <Text size="sm" c="dimmed" className="qs-name" lineClamp={2}>
          {endpoint.description}
        </Text>
      )}
    </>
  );
}

const useHealthOf = (endpointId: string) =>
  useHealth().data?.find((health) => health.endpoint_id === endpointId) ?? null;

function HealthCell({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { word, color } = healthOf(endpoint, useHealthOf(endpoint.id)?.day ?? null);
  return <StateBadge color={color}>{word}</StateBadge>;
}

function DayCell({ endpoint }: { endpoint: WebhookEndpoint }) {
  const format = useFormat();
  const health = useHealthOf(endpoint.id);
  if (health === null) return null;
  const { delivered, failed, waiting } = health.day;
  return (
    <Text size="sm" component="div">
      {format.number(delivered)} arrived, {format.number(failed)} failed, {format.number(waiting)} waiting
      {health.last_delivered_at !== null && (
        <Text size="sm" c="dimmed">
          last <When at={health.last_delivered_at} ago />
        </Text>
      )}
    </Text>
  );
}
