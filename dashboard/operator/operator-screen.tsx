import { Badge, Button, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listStores, type OperatedStore } from "../api/generated.ts";
import { ParamsLink, useAddress, useSearchParams } from "../app/address.tsx";
import { personApi } from "../app/api.ts";
import { oneOf } from "../app/search.ts";
import { useMe } from "../app/session.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { IconPlus, IconSearch } from "../ui/icons.tsx";
import { Page } from "../ui/page.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { When } from "../ui/when.tsx";
import { NewStore } from "./new-store.tsx";
import { planNames } from "./plan-names.ts";
import { StoreActions } from "./store-actions.tsx";

const columns: Column<OperatedStore>[] = [
  { key: "store", header: "Store", cell: (store) => <StoreCell store={store} /> },
  { key: "plan", header: "Plan", cell: ({ plan }) => planNames[plan] },
  { key: "limits", header: "Own limits", cell: ({ limits }) => Object.keys(limits).length || "None" },
  { key: "since", header: "Created", cell: ({ created_at: at }) => <When at={at} /> },
  { key: "do", header: "Actions", bare: true, cell: (store) => <StoreActions store={store} /> },
];

/** All stores of the server, for its operators. */
export function OperatorScreen() {
  const { person } = useMe();
  const [isMaking, setMaking] = useState(false);
  if (!person.operator) {
    return (
      <Page title="Operator">
        <EmptyState title="This is for operators" text="Whoever runs this server can make you one." />
      </Page>
    );
  }
  return (
    <Page
      title="Stores"
      description="Every store of this server."
      actions={
        <Button leftSection={<IconPlus />} onClick={() => setMaking(true)}>
          New store
        </Button>
      }
    >
      <StoreList />
      {isMaking && <NewStore onClose={() => setMaking(false)} />}
    </Page>
  );
}

function StoreList() {
  const q = oneOf(useSearchParams(), "q");
  const query = useInfiniteQuery({
    queryKey: ["operated", q],
    queryFn: ({ pageParam }) =>
      listStores(personApi, { query: { limit: 50, ...(q && { q }), ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  return (
    <>
      <StoreFilter q={q} />
      {error !== null && <ProblemNote error={error} retry={refetch} />}
      {(data !== undefined || error === null) && (
        <DataTable
          label="Stores"
          columns={columns}
          rows={data?.pages.flatMap((page) => page.data)}
          rowKey={({ id }) => id}
          more={hasNextPage ? { load: () => void fetchNextPage(), isLoading: isFetchingNextPage } : undefined}
          empty={
            q === null ? (
              <EmptyState title="No store yet" text="Make the first one." />
            ) : (
              <EmptyState title="No stores found" text="Part of a name, of a domain, or an id finds stores." />
            )
          }
        />
      )}
    </>
  );
}

function StoreFilter({ q }: { q: string | null }) {
  const { params, change } = useAddress();
  const [text, setText] = useState(q ?? "");
  const go = useDebouncedCallback((value: string) => change({ ...params, q: value.trim() }), 250);
  return (
    <TextInput
      aria-label="Find stores"
      placeholder="Name, domain or id"
      leftSection={<IconSearch />}
      maw="24rem"
      mb="md"
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        go(event.currentTarget.value);
      }}
    />
  );
}

const StoreCell = ({ store }: { store: OperatedStore }) => (
  <>
    <Group gap="xs">
      {store.support_until === null ? (
        <span className="qs-name">{store.name}</span>
      ) : (
        <ParamsLink to="/" params={{ store: store.id }} className="qs-name">
          {store.name}
        </ParamsLink>
      )}
      {store.support_until !== null && (
        <Badge variant="light" color="orange">
          You are support
        </Badge>
      )}
      {store.disconnected_at !== null && (
        <Badge variant="light" color="red">
          Disconnected
        </Badge>
      )}
    </Group>
    <div className="qs-second qs-name">{store.shop_domain}</div>
    <div className="qs-second qs-mono">{store.id}</div>
  </>
);
