import { Drawer, Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { WebhookEndpoint } from "../../client/src/index.ts";
import { type DeliveryDetail, getDelivery } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { SendAgain } from "./redeliver.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { isUnderWay, mostAttempts, nextTry, outcomeWords } from "./webhook-words.ts";

interface Props {
  endpoint: WebhookEndpoint;
  /** null: closed */
  deliveryId: string | null;
  close: () => void;
}

/** One delivery: what was sent, how often, how the receiver responded, and when the next attempt is. */
export function DeliveryDrawer({ endpoint, deliveryId, close }: Props) {
  return (
    <Drawer opened={deliveryId !== null} onClose={close} position="right" size="lg" title="Delivery">
      {deliveryId !== null && <Detail endpoint={endpoint} deliveryId={deliveryId} />}
    </Drawer>
  );
}

function Detail({ endpoint, deliveryId }: { endpoint: WebhookEndpoint; deliveryId: string }) {
  const api = useApi();
  const delivery = useQuery({
    queryKey: ["deliveries", endpoint.id, "one", deliveryId],
    queryFn: ({ signal }) =>
      getDelivery(api, { path: { endpoint_id: endpoint.id, delivery_id: deliveryId } }, { signal }),
    refetchInterval: (query) =>
      polled(query, query.state.data !== undefined && isUnderWay(query.state.data) ? 1_500 : false),
  });
  return (
    <QueryView query={delivery}>
      {(data) => <DeliveryView delivery={data} enabled={endpoint.status === "enabled"} />}
    </QueryView>
  );
}

function DeliveryView({ delivery, enabled }: { delivery: DeliveryDetail; enabled: boolean }) {
  const next = nextTry(delivery);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Text fw={600} className="qs-mono">
            {delivery.topic}
          </Text>
          <StatusBadge status={delivery.status} />
        </Group>
        {enabled && <SendAgain delivery={delivery} />}
      </Group>
      <Text>{outcomeWords(delivery)}</Text>
      <dl className="qs-facts">
        <dt>Event</dt>
        <dd className="qs-mono">{delivery.event_id}</dd>
        <dt>Created</dt>
        <dd>
          <When at={delivery.created_at} />
        </dd>
        <dt>Arrived</dt>
        <dd>
          <When at={delivery.delivered_at} />
        </dd>
        <dt>Next try</dt>
        <dd>{next === null ? "None" : <When at={next} />}</dd>
      </dl>
      <Tries delivery={delivery} />
      <Section title="The receiver's last answer">
        {delivery.last_response ? (
          <CodeBlock code={delivery.last_response} label="The receiver's last answer" />
        ) : (
          <Text c="dimmed">Without a body.</Text>
        )}
      </Section>
      <Section title="Payload">
        {delivery.payload === null ? (
          <Text c="dimmed">It holds contacts, which your role does not show.</Text>
        ) : (
          <CodeBlock code={JSON.stringify(delivery.payload, null, 2)} label="Payload" />
        )}
      </Section>
    </Stack>
  );
}

function Tries({ delivery }: { delivery: DeliveryDetail }) {
  return (
    <Section title={`Attempts: ${delivery.attempts} of ${mostAttempts}`}>
      {delivery.tries.length === 0 ? (
        <Text c="dimmed">{delivery.attempts === 0 ? "Not sent yet." : "They were not kept one by one."}</Text>
      ) : (
        <List type="ordered" size="sm">
          {delivery.tries.map(({ at, status_code, error }) => (
            <List.Item key={at} className="qs-name">
              <When at={at} />
              {status_code !== null && `, answered ${status_code}`}
              {error === null ? ", arrived" : `: ${error}`}
            </List.Item>
          ))}
        </List>
      )}
    </Section>
  );
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <Title order={3} size="h5" mb={4}>
      {title}
    </Title>
    {children}
  </section>
);
