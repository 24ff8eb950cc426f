import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { getWebhook, type WebhookEndpoint } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { useMember } from "../app/session.ts";
import { StateBadge } from "../people/state-badge.tsx";
import { useQuizName } from "../people/use-quizzes.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { Deliveries } from "./deliveries.tsx";
import { DeveloperNav } from "./developer-nav.tsx";
import { EnableButton, EndpointActions, mayChange } from "./endpoint-actions.tsx";
import { EndpointSecret } from "./endpoint-secret.tsx";
import { useHealth } from "./use-endpoints.ts";
import { healthOf } from "./webhook-words.ts";

/** One endpoint: its health, settings, secret, and every delivery of the last 30 days. */
export function EndpointScreen() {
  const { endpointId = "" }: { endpointId?: string } = useParams({ strict: false });
  const api = useApi();
  const endpoint = useQuery({
    queryKey: ["endpoints", endpointId],
    queryFn: ({ signal }) => getWebhook(api, { path: { endpoint_id: endpointId } }, { signal }),
    // a receiver's response can disable it
    refetchInterval: (query) => polled(query, query.state.data === undefined ? false : 3_000),
  });
  return (
    <Page
      title={endpoint.data?.url ?? "Endpoint"}
      isName
      back={{ to: "/developers/webhooks", label: "Webhooks" }}
      description={endpoint.data?.description ?? undefined}
      actions={endpoint.data && <EndpointActions endpoint={endpoint.data} />}
    >
      <DeveloperNav />
      <QueryView query={endpoint}>
        {(data) => (
          <Stack gap="lg">
            <HealthCard endpoint={data} />
            <SettingsCard endpoint={data} />
            <Deliveries endpoint={data} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

function HealthCard({ endpoint }: { endpoint: WebhookEndpoint }) {
  const changeable = mayChange(useMember(), endpoint);
  const health = useHealth().data?.find(({ endpoint_id }) => endpoint_id === endpoint.id);
  const { word, color, sentence } = healthOf(endpoint, health?.day ?? null);
  const since = endpoint.disabled_at ?? endpoint.failing_since;
  return (
    <section className="qs-card" aria-label="Health">
      <Group justify="space-between" gap="sm">
        <div className="qs-grow">
          <Group gap="sm">
            <StateBadge color={color}>{word}</StateBadge>
            {since !== null && (
              <Text size="sm" c="dimmed">
                since <When at={since} />
              </Text>
            )}
          </Group>
          <Text mt="xs">{sentence}</Text>
          {!changeable && (
            <Text mt="xs" size="sm" c="dimmed">
              It is sent contacts, so that owners alone change, disable and enable it.
            </Text>
          )}
        </div>
        {changeable && endpoint.status === "disabled" && <EnableButton endpoint={endpoint} />}
      </Group>
    </section>
  );
}

function SettingsCard({ endpoint }: { endpoint: WebhookEndpoint }) {
  const quizName = useQuizName();
  const names = endpoint.quiz_ids?.map((id) => quizName(id) ?? "a deleted quiz");
  return (
    <section className="qs-card" aria-label="Settings">
      <Stack gap="md">
        <dl className="qs-facts">
          <dt>Events</dt>
          <dd className="qs-mono">{endpoint.topics.join(", ")}</dd>
          <dt>Quizzes</dt>
          <dd className="qs-name">{names === undefined ? "Every quiz" : names.join(", ")}</dd>
          <dt>Contacts</dt>
          <dd>{endpoint.include_pii ? "Sent" : "Left out"}</dd>
          <dt>Added</dt>
          <dd>
            <When at={endpoint.created_at} />
          </dd>
        </dl>
        <EndpointSecret endpoint={endpoint} />
      </Stack>
    </section>
  );
}
