import { Anchor, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Delivery, WebhookEndpoint } from "../../client/src/index.ts";
import { searchDeliveries } from "../api/generated.ts";
import { useAddress } from "../app/address.tsx";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { oneOf } from "../app/search.ts";
import { lookAgain, moreOf } from "../people/more.ts";
import { Whole } from "../people/state-badge.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { detailsColumn } from "./details-column.tsx";
import { RedeliverFailed } from "./redeliver.tsx";
import { StatusBadge } from "./status-badge.tsx";
import {
  type DeliveryStatus,
  deliveryStatuses,
  deliveryWords,
  eventTopics,
  isUnderWay,
  mostAttempts,
  nextTry,
  outcomeWords,
} from "./webhook-words.ts";

interface Filters {
  status?: DeliveryStatus;
  topic?: Delivery["topic"];
}

const topics: readonly Delivery["topic"][] = [...eventTopics, "ping"];

function readFilters(params: Record<string, unknown>): Filters {
  const status = deliveryStatuses.find((known) => known === oneOf(params, "status"));
  const topic = topics.find((known) => known === oneOf(params, "topic"));
  return { ...(status === undefined ? {} : { status }), ...(topic === undefined ? {} : { topic }) };
}

/** What was sent to an endpoint, refreshed while a delivery is under way [dashboard-developers.deliveries]. */
export function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { params, change } = useAddress();
  const filters = readFilters(params);
  const list = useDeliveries(endpoint.id, filters);
  const opened = oneOf(params, "delivery");
  return (
    <section>
      <Group justify="space-between" align="end" mb="sm" gap="sm">
        <Title order={2} size="h4">
          Deliveries of the last 30 days
        </Title>
        {endpoint.status === "enabled" && <RedeliverFailed endpointId={endpoint.id} />}
      </Group>
      <Stack gap="sm">
        <FilterFields filters={filters} onChange={(next) => change({ ...next })} />
        <QueryView query={list}>
          {({ pages }) => (
            <DeliveriesTable
              deliveries={pages.flatMap((page) => page.data)}
              more={moreOf(list)}
              open={(id) => change({ ...filters, delivery: id }, { push: true })}
              filtered={Object.keys(filters).length > 0}
            />
          )}
        </QueryView>
      </Stack>
      <DeliveryDrawer endpoint={endpoint} deliveryId={opened} close={() => change({ ...filters })} />
    </section>
  );
}

function useDeliveries(endpointId: string, filters: Filters) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["deliveries", endpointId, filters],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      searchDeliveries(
        api,
        {
          path: { endpoint_id: endpointId },
          query: { ...filters, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: (query) =>
      polled(
        query,
        lookAgain(query.state.data?.pages, query.state.data?.pages[0]?.data.some(isUnderWay) ? 1_500 : 10_000),
      ),
  });
}

function FilterFields({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const { status: _, ...noStatus } = filters;
  const { topic: __, ...noTopic } = filters;
  return (
    <Group gap="sm">
      <NativeSelect
        label="State"
        value={filters.status ?? ""}
        data={[
          { value: "", label: "All" },
          ...deliveryStatuses.map((value) => ({ value, label: deliveryWords[value].label })),
        ]}
        onChange={(event) => {
          const status = deliveryStatuses.find((known) => known === event.currentTarget.value);
          onChange(status === undefined ? noStatus : { ...filters, status });
        }}
      />
      <NativeSelect
        label="Event"
        value={filters.topic ?? ""}
        data={[{ value: "", label: "All" }, ...topics.map((value) => ({ value, label: value }))]}
        onChange={(event) => {
          const topic = topics.find((known) => known === event.currentTarget.value);
          onChange(topic === undefined ? noTopic : { ...filters, topic });
        }}
      />
    </Group>
  );
}

interface TableProps {
  deliveries: Delivery[];
  more: ReturnType<typeof moreOf>;
  open: (id: string) => void;
  filtered: boolean;
}

function DeliveriesTable({ deliveries, more, open, filtered }: TableProps) {
  return (
    <DataTable
      label="Deliveries, newest first"
      rows={deliveries}
      rowKey={({ id }) => id}
      more={more}
      empty={
        filtered ? (
          <EmptyState title="No deliveries match these filters" text="Choose another state or event." />
        ) : (
          <EmptyState title="No deliveries yet" text="Send a ping to try the address, or wait for the first event." />
        )
      }
      columns={[
        {
          key: "event",
          header: "Event",
          primary: true,
          cell: ({ id, topic }) => (
            <Anchor component="button" type="button" className="qs-mono" ta="start" onClick={() => open(id)}>
              <Whole>{topic}</Whole>
            </Anchor>
          ),
        },
        {
          key: "made",
          header: "Created",
          cell: ({ created_at }) => (
            <Whole>
              <When at={created_at} />
            </Whole>
          ),
        },
        { key: "state", header: "State", cell: (delivery) => <StatusBadge status={delivery.status} /> },
        { key: "tries", header: "Attempts", align: "end", cell: ({ attempts }) => `${attempts} of ${mostAttempts}` },
        { key: "outcome", header: "Outcome", cell: (delivery) => <Outcome delivery={delivery} /> },
        detailsColumn(open),
      ]}
    />
  );
}

function Outcome({ delivery }: { delivery: Delivery }) {
  const next = nextTry(delivery);
  return (
    <>
      <Text size="sm" lineClamp={2} className="qs-name">
        {outcomeWords(delivery)}
      </Text>
      {next !== null && delivery.attempts > 0 && (
        <Text size="sm" c="dimmed">
          next try <When at={next} />
        </Text>
      )}
    </>
  );
}
