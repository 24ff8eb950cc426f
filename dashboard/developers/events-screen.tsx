import { Anchor, Drawer, Group, List, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type Event as FeedEvent, type FullEvent, getEvent, listEvents } from "../../client/src/index.ts";
import type { EventTopic } from "../../contract/events.ts";
import { ParamsLink, useAddress } from "../app/address.tsx";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { oneOf } from "../app/search.ts";
import { may, useMember } from "../app/session.ts";
import { lookAgain, moreOf } from "../people/more.ts";
import { Whole } from "../people/state-badge.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { detailsColumn } from "./details-column.tsx";
import { DeveloperNav } from "./developer-nav.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { useEndpoints } from "./use-endpoints.ts";
import { eventTopics, isMoving, topicWords } from "./webhook-words.ts";

/** All events of the last 30 days, whether or not they were sent to an endpoint [dashboard-developers.events]. */
export function EventsScreen() {
  const allowed = may(useMember(), "webhooks:manage");
  return (
    <Page title="Events" description="What happened in the last 30 days, and the endpoints it was sent to.">
      <DeveloperNav />
      {allowed ? (
        <Feed />
      ) : (
        <EmptyState title="Events are for editors and owners" text="Ask an owner of this store for that role." />
      )}
    </Page>
  );
}

function Feed() {
  const { params, change } = useAddress();
  const type = eventTopics.find((topic) => topic === oneOf(params, "type"));
  const filters = type === undefined ? {} : { type };
  const list = useEvents(type);
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Event"
        maw={320}
        value={type ?? ""}
        data={[{ value: "", label: "All" }, ...eventTopics.map((value) => ({ value, label: value }))]}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          change(chosen === "" ? {} : { type: chosen });
        }}
      />
      <QueryView query={list}>
        {({ pages }) => (
          <EventsTable
            events={pages.flatMap((page) => page.data)}
            more={moreOf(list)}
            open={(id) => change({ ...filters, event: id }, { push: true })}
          />
        )}
      </QueryView>
      <EventDrawer eventId={oneOf(params, "event")} close={() => change(filters)} />
    </Stack>
  );
}

function useEvents(type: EventTopic | undefined) {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ["events", type ?? null],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      listEvents(
        api,
        {
          query: {
            limit: 50,
            ...(type === undefined ? {} : { type }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: (query) => polled(query, lookAgain(query.state.data?.pages, 10_000)),
  });
}

interface TableProps {
  events: FeedEvent[];
  more: ReturnType<typeof moreOf>;
  open: (id: string) => void;
}

function EventsTable({ events, more, open }: TableProps) {
  return (
    <DataTable
      label="Events, newest first"
      rows={events}
      rowKey={({ id }) => id}
      more={more}
      empty={
        <EmptyState
          title="No event of the last 30 days"
          text="Events come when shoppers take a live quiz, when a version is published, and when a file is ready."
        />
      }
      columns={[
        {
          key: "type",
          header: "Event",
          primary: true,
          cell: ({ id, type }) => (
            <>
              <Anchor component="button" type="button" className="qs-mono" ta="start" onClick={() => open(id)}>
                <Whole>{type}</Whole>
              </Anchor>
              <Text size="sm" c="dimmed">
                {topicWords[type]}
              </Text>
            </>
          ),
        },
        {
          key: "when",
          header: "Happened",
          cell: ({ created }) => (
            <Whole>
              <When at={created} />
            </Whole>
          ),
        },
        { key: "told", header: "Sent to", cell: (event) => <Deliveries event={event} /> },
        detailsColumn(open),
      ]}
    />
  );
}

function Deliveries({ event }: { event: FeedEvent }) {
  if (event.deliveries.length === 0) return <Text size="sm">None</Text>;
  return (
    <Group gap={4}>
      {event.deliveries.map(({ id, status }) => (
        <StatusBadge key={id} status={status} />
      ))}
    </Group>
  );
}

function EventDrawer({ eventId, close }: { eventId: string | null; close: () => void }) {
  return (
    <Drawer opened={eventId !== null} onClose={close} position="right" size="lg" title="Event">
      {eventId !== null && <Detail eventId={eventId} />}
    </Drawer>
  );
}

function Detail({ eventId }: { eventId: string }) {
  const api = useApi();
  const { contacts } = useMember();
  const event = useQuery({
    queryKey: ["events", "one", eventId, contacts],
    queryFn: ({ signal }) =>
      getEvent(api, { path: { event_id: eventId }, query: { include_pii: contacts } }, { signal }),
    refetchInterval: (query) =>
      polled(query, query.state.data !== undefined && (isMoving(query.state.data, Date.now()) ? 1_500 : 10_000)),
  });
  return <QueryView query={event}>{(data) => <EventView event={data} />}</QueryView>;
}

/** As an endpoint is sent it. */
const envelopeOf = ({ id, type, created, api_version, data }: FullEvent) => ({ id, type, created, api_version, data });

function EventView({ event }: { event: FullEvent }) {
  const { data: endpoints } = useEndpoints();
  const unnamed = endpoints === undefined ? "…" : "An endpoint that was deleted";
  const urlOf = (id: string) => endpoints?.find((endpoint) => endpoint.id === id)?.url ?? unnamed;
  return (
    <Stack gap="md">
      <div>
        <Text fw={600} className="qs-mono">
          {event.type}
        </Text>
        <Text c="dimmed" component="div">
          {topicWords[event.type]}, <When at={event.created} />
        </Text>
      </div>
      <section>
        <Title order={3} size="h5" mb={4}>
          Deliveries
        </Title>
        {event.deliveries.length === 0 ? (
          <Text c="dimmed">No endpoint listens to it.</Text>
        ) : (
          <List listStyleType="none">
            {event.deliveries.map(({ id, endpoint_id, status }) => (
              <List.Item key={id}>
                <Group gap="sm">
                  <StatusBadge status={status} />
                  <Anchor
                    component={ParamsLink}
                    to={`/developers/webhooks/${endpoint_id}`}
                    params={{ delivery: id }}
                    className="qs-name"
                  >
                    {urlOf(endpoint_id)}
                  </Anchor>
                </Group>
              </List.Item>
            ))}
          </List>
        )}
      </section>
      <section>
        <Title order={3} size="h5" mb={4}>
          Payload
        </Title>
        {event.data === null ? (
          <Text c="dimmed">What this event was about has been deleted.</Text>
        ) : (
          <CodeBlock code={JSON.stringify(envelopeOf(event), null, 2)} label="Payload" />
        )}
      </section>
    </Stack>
  );
}
