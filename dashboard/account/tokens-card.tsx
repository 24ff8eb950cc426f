import { Button, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { listTokens, type PersonalToken, revokeToken } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { useMe } from "../app/session.ts";
import { keyState, keyStateWords, keyText } from "../developers/key-words.ts";
import { StateBadge, Whole } from "../people/state-badge.tsx";
import { Card } from "../ui/card.tsx";
import { useConfirm } from "../ui/confirm.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { notifyDone } from "../ui/notify.ts";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { MakeToken } from "./make-token.tsx";

/** Programs that may act for the person; each can be revoked. */
export function TokensCard() {
  const { stores } = useMe();
  const [making, setMaking] = useState(false);
  const query = useQuery({ queryKey: ["my-tokens"], queryFn: () => listTokens(personApi) });
  return (
    <Card
      title="Personal tokens"
      text="One lets a program, such as an AI assistant, act for you in one store with the rights that you have there. Setting a password ends all."
      side={
        <Button variant="default" size="xs" onClick={() => setMaking(true)} disabled={stores.length === 0}>
          New token…
        </Button>
      }
    >
      <QueryView query={query}>
        {({ data }) => (
          <DataTable
            label="Personal tokens"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            empty={
              <Text size="sm" c="dimmed">
                No program acts for you.
              </Text>
            }
          />
        )}
      </QueryView>
      <MakeToken opened={making} close={() => setMaking(false)} />
    </Card>
  );
}

const columns: Column<PersonalToken>[] = [
  {
    key: "name",
    header: "Token",
    primary: true,
    cell: (token) => (
      <>
        <Text fw={500} className="qs-name">
          {token.name}
        </Text>
        <Text size="sm" c="dimmed" className="qs-mono">
          {keyText(token)}
        </Text>
      </>
    ),
  },
  {
    key: "store",
    header: "Store",
    cell: ({ store }) => (
      <>
        <Text size="sm" className="qs-name">
          {store.name}
        </Text>
        <Text size="sm" c="dimmed">
          as {store.role}
        </Text>
      </>
    ),
  },
  {
    key: "used",
    header: "Last used",
    cell: ({ last_used_at: at }) => <Whole>{at === null ? "Never" : <When at={at} ago />}</Whole>,
  },
  { key: "expires", header: "Expires", cell: (token) => <Expires token={token} /> },
  { key: "revoke", header: "Revoke", bare: true, cell: (token) => <Revoke token={token} /> },
];

function Expires({ token: { expires_at } }: { token: PersonalToken }) {
  const state = keyState({ expires_at, revoked_at: null }, Date.now());
  const { label, color } = keyStateWords[state];
  return (
    <>
      <Whole>
        <When at={expires_at} />
      </Whole>
      {state !== "active" && (
        <div>
          <StateBadge color={color}>{label}</StateBadge>
        </div>
      )}
    </>
  );
}

function Revoke({ token }: { token: PersonalToken }) {
  const confirm = useConfirm();
  const queries = useQueryClient();
  const revoke = async () => {
    const done = await confirm({
      title: "Revoke this token?",
      verb: "Revoke",
      destroys: (
        <Text>
          Programs that use <b className="qs-name">{token.name}</b> ({keyText(token)}) are refused from now on. A
          revoked token cannot be used again.
        </Text>
      ),
      run: () => revokeToken(personApi, { path: { token_id: token.id } }).then(() => true),
    });
    if (done === null) return;
    notifyDone("The token was revoked.");
    await queries.invalidateQueries({ queryKey: ["my-tokens"] });
  };
  return (
    <Button size="compact-sm" variant="subtle" color="red" onClick={() => void revoke()}>
      Revoke…
    </Button>
  );
}
