import { Button, Group, Stack, Switch, Text } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type ApiKey, listKeys, revokeKey } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { may, useMember } from "../app/session.ts";
import { type More, moreOf } from "../people/more.ts";
import { StateBadge, Whole } from "../people/state-badge.tsx";
import { useConfirm } from "../ui/confirm.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { notifyDone } from "../ui/notify.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { DeveloperNav } from "./developer-nav.tsx";
import { isUsable, keyState, keyStateWords, keyText } from "./key-words.ts";
import { MakeKey } from "./make-key.tsx";

/** The store's API keys. Only owners see them: a key can do things that no other role may. */
export function KeysScreen() {
  const member = useMember();
  const { role } = member;
  // the first screen of this area that they may see
  if (role !== "owner" && may(member, "webhooks:manage")) return <Navigate to="/developers/webhooks" replace />;
  if (role === "owner") return <OwnersKeys />;
  return (
    <KeysPage>
      <EmptyState title="Keys are made by owners" text="Ask an owner of this store for a key." />
    </KeysPage>
  );
}

const KeysPage = ({ actions, children }: { actions?: ReactNode; children: ReactNode }) => (
  <Page title="API keys" description="A key lets a program call the API as this store." actions={actions}>
    <DeveloperNav />
    {children}
  </Page>
);

function OwnersKeys() {
  const [making, setMaking] = useState(false);
  const begin = <Button onClick={() => setMaking(true)}>New key…</Button>;
  return (
    <KeysPage actions={begin}>
      <Keys begin={begin} />
      {/* outside the list, which is rendered anew as soon as the key exists */}
      <MakeKey opened={making} close={() => setMaking(false)} />
    </KeysPage>
  );
}

/** @param begin the button that starts creating a key */
function Keys({ begin }: { begin: ReactNode }) {
  const api = useApi();
  const list = useInfiniteQuery({
    queryKey: ["keys"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      listKeys(api, { query: { limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) } }, { signal }),
    getNextPageParam: (page) => page.next_cursor,
  });
  return (
    <QueryView query={list}>
      {({ pages }) => <KeyList keys={pages.flatMap((page) => page.data)} more={moreOf(list)} begin={begin} />}
    </QueryView>
  );
}

function KeyList({ keys, ...rest }: TableProps) {
  const [all, setAll] = useState(false);
  const ended = keys.filter((key) => !isUsable(keyState(key, Date.now())));
  return (
    <Stack gap="md">
      {ended.length > 0 && (
        <Switch
          label={`Show revoked and expired keys (${ended.length})`}
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      )}
      <KeysTable keys={all ? keys : keys.filter((key) => !ended.includes(key))} {...rest} />
    </Stack>
  );
}

interface TableProps {
  keys: ApiKey[];
  more: More;
  begin: ReactNode;
}

function KeysTable({ keys, more, begin }: TableProps) {
  return (
    <DataTable
      label="API keys, newest first"
      rows={keys}
      rowKey={({ id }) => id}
      more={more}
      empty={
        // keys in use may follow on the next page
        more === undefined ? (
          <EmptyState
            title="No key is in use"
            text="Make one to call the API from a program. It is shown once, when it is made."
            action={begin}
          />
        ) : undefined
      }
      columns={[
        { key: "name", header: "Key", primary: true, cell: (key) => <NameCell apiKey={key} /> },
        { key: "state", header: "State", cell: (key) => <StateCell apiKey={key} /> },
        {
          key: "scopes",
          header: "Permissions",
          cell: ({ scopes }) => (
            <Stack gap={0}>
              {scopes.map((scope) => (
                <Text key={scope} size="sm" className="qs-mono">
                  <Whole>{scope}</Whole>
                </Text>
              ))}
            </Stack>
          ),
        },
        {
          key: "used",
          header: "Last used",
          cell: ({ last_used_at }) => <Whole>{last_used_at === null ? "Never" : <When at={last_used_at} ago />}</Whole>,
        },
        {
          key: "expires",
          header: "Expires",
          cell: ({ expires_at }) => <Whole>{expires_at === null ? "Never" : <When at={expires_at} />}</Whole>,
        },
        { key: "revoke", header: "Revoke", bare: true, cell: (key) => <Revoke apiKey={key} /> },
      ]}
    />
  );
}

function NameCell({ apiKey }: { apiKey: ApiKey }) {
  return (
    <>
      <Group gap="xs">
        <Text fw={500} className="qs-name">
          {apiKey.name || "Without a name"}
        </Text>
        {apiKey.test && <StateBadge color="blue">Test key</StateBadge>}
      </Group>
      <Text size="sm" c="dimmed" className="qs-mono">
        {keyText(apiKey)}
      </Text>
      <Text size="sm" c="dimmed" className="qs-name">
        made by {apiKey.admin}, <When at={apiKey.created_at} />
      </Text>
    </>
  );
}

function StateCell({ apiKey }: { apiKey: ApiKey }) {
  const { label, color } = keyStateWords[keyState(apiKey, Date.now())];
  return <StateBadge color={color}>{label}</StateBadge>;
}

/** Asks before revoking, and names the key and what stops working [dashboard-developers.revoke]. */
function Revoke({ apiKey }: { apiKey: ApiKey }) {
  const api = useApi();
  const confirm = useConfirm();
  const queries = useQueryClient();
  if (!isUsable(keyState(apiKey, Date.now()))) return null;
  const revoke = async () => {
    const done = await confirm({
      title: "Revoke this key?",
      verb: "Revoke",
      destroys: (
        <Text>
          Programs that use <b className="qs-name">{apiKey.name}</b> ({keyText(apiKey)}) are refused from now on. A
          revoked key cannot be used again.{apiKey.test && " The test store and its data stay."}
        </Text>
      ),
      run: () => revokeKey(api, { path: { key_id: apiKey.id } }),
    });
    if (done === null) return;
    notifyDone("The key was revoked.");
    await queries.invalidateQueries({ queryKey: ["keys"] });
  };
  return (
    <Button size="compact-sm" variant="subtle" color="red" onClick={() => void revoke()}>
      Revoke…
    </Button>
  );
}
