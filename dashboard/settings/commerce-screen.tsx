import { Alert, Badge, Button, Code, Group, List, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { connectionCountsAtMost } from "../../contract/limits.ts";
import {
  type CommerceConnection,
  getCommerce,
  rotateCommerceSecret,
  setCommerceSecret,
  type TestCommerceAnswer,
  testCommerce,
} from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { useConfirm, usePasswordAgain } from "../ui/confirm.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Facts } from "../ui/facts.tsx";
import { IconCheck, IconWarning } from "../ui/icons.tsx";
import { notifyDone } from "../ui/notify.ts";
import { PasswordInput } from "../ui/password-input.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { useSending } from "../ui/sending.ts";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import { SettingsPage } from "./settings-page.tsx";

/** The shop's commerce platform, which sends orders, products and privacy requests. */
export function CommerceScreen() {
  const api = useApi();
  const { role } = useMember();
  const query = useQuery({ queryKey: ["commerce"], queryFn: () => getCommerce(api), enabled: role === "owner" });
  return (
    <SettingsPage title="Commerce connection" ownersOnly>
      <QueryView query={query}>
        {(connection) => (
          <Stack maw="52rem">
            <StateCard connection={connection} />
            <TestCard />
            <SecretCard connection={connection} />
            <MessagesCard connection={connection} />
          </Stack>
        )}
      </QueryView>
    </SettingsPage>
  );
}

/** Orders and products may also have been imported from files. */
function stateWords({ state, last_message_at }: CommerceConnection) {
  if (last_message_at !== null) return { badge: "Connected", color: "green", text: "Messages of the shop come in." };
  const text = "No signed message of the shop has come in yet.";
  return state === "waiting"
    ? { badge: "Waiting", color: "orange", text }
    : {
        badge: "No messages",
        color: "orange",
        text: `Orders or products came from files or earlier messages. ${text}`,
      };
}

function StateCard({ connection }: { connection: CommerceConnection }) {
  const { number } = useFormat();
  const known = (count: number) => (count < connectionCountsAtMost ? number(count) : `${number(count)} or more`);
  const { badge, color, text } = stateWords(connection);
  return (
    <Card
      title="State"
      text={text}
      side={
        <Badge variant="light" color={color}>
          {badge}
        </Badge>
      }
    >
      <Facts
        facts={[
          ["Shop", connection.shop_domain],
          [
            "Messages go to",
            <Group key="url" gap="xs">
              <Code className="qs-mono">{connection.messages_url}</Code>
              <CopyButton value={connection.messages_url} label="Copy" size="compact-xs" />
            </Group>,
          ],
          [
            "Topics",
            <span key="topics" className="qs-mono">
              {connection.topics.join(", ")}
            </span>,
          ],
          ["Last message", <When key="message" at={connection.last_message_at} />],
          ["Newest order", <When key="order" at={connection.last_order_at} />],
          ["Orders", known(connection.orders)],
          ["Products", known(connection.products)],
        ]}
      />
    </Card>
  );
}

function TestCard() {
  const api = useApi();
  const queries = useQueryClient();
  const [answer, setAnswer] = useState<TestCommerceAnswer | null>(null);
  const { isSending, error, send } = useSending();
  const run = () =>
    send(async () => {
      setAnswer(await testCommerce(api));
      await queries.invalidateQueries({ queryKey: ["commerce"] });
    });
  return (
    <Card
      title="Test"
      text="Sends a signed message as the platform would, which changes nothing, and looks at what has come in."
      side={
        <Button variant="default" onClick={run} loading={isSending}>
          Test the connection
        </Button>
      }
    >
      <div role="status">
        {error !== null && <ProblemNote error={error} retry={run} />}
        {answer !== null && (
          <List size="sm" listStyleType="none" spacing={4}>
            {answer.checks.map(({ check, ok, text }) => (
              <List.Item key={check} icon={ok ? <IconCheck /> : <IconWarning />}>
                <b>{ok ? "Works" : "Does not work"}:</b> {text}
              </List.Item>
            ))}
          </List>
        )}
      </div>
    </Card>
  );
}

function SecretCard({ connection }: { connection: CommerceConnection }) {
  const api = useApi();
  const queries = useQueryClient();
  const again = usePasswordAgain();
  const confirm = useConfirm();
  const [secret, setSecret] = useState("");
  const [made, setMade] = useState<string | null>(null);
  const { isSending, error, send } = useSending();
  const refresh = () => queries.invalidateQueries({ queryKey: ["commerce"] });
  const save = (event: FormEvent) => {
    event.preventDefault();
    return send(async () => {
      const saved = await again(() => setCommerceSecret(api, { body: { secret } }));
      if (saved === null) return;
      setSecret("");
      setMade(null);
      await refresh();
      notifyDone("The secret is saved");
    });
  };
  const rotate = async () => {
    const answer = await confirm({
      title: "Make a new secret?",
      destroys: "The secret before it: messages that the platform signs with it are refused until it has the new one.",
      verb: "Make a new secret",
      run: () => rotateCommerceSecret(api),
    });
    if (answer === null) return;
    setMade(answer.secret);
    await refresh();
  };
  return (
    <Card
      title="Signing secret"
      text={
        connection.secret_set ? "There is one; it cannot be shown again." : "There is none yet: no message is taken."
      }
    >
      <Stack>
        {made !== null && (
          <Alert title="The new secret, shown now and never again" color="orange" variant="light">
            <Group gap="xs">
              <Code className="qs-mono">{made}</Code>
              <CopyButton value={made} label="Copy secret" />
            </Group>
          </Alert>
        )}
        {error !== null && <ProblemNote error={error} />}
        <form onSubmit={save}>
          <Group align="flex-end">
            <PasswordInput
              label="Secret that the platform shows"
              name="commerce-secret"
              autoComplete="off"
              minLength={16}
              maxLength={200}
              className="qs-wide"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
              required
            />
            <Button type="submit" loading={isSending}>
              Save
            </Button>
          </Group>
        </form>
        <Group>
          <Text size="sm" c="dimmed">
            Or let us make one, for platforms that take it:
          </Text>
          <Button variant="default" size="xs" onClick={rotate}>
            Make a new secret
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

type Message = CommerceConnection["messages"][number];

const columns: Column<Message>[] = [
  { key: "topic", header: "Topic", cell: ({ topic }) => topic ?? "–" },
  { key: "at", header: "Received", cell: ({ received_at: at }) => <When at={at} /> },
  { key: "id", header: "Platform's id", cell: ({ message_id: id }) => <span className="qs-mono">{id}</span> },
];

const MessagesCard = ({ connection }: { connection: CommerceConnection }) => (
  <Card title="Newest messages">
    <DataTable
      label="Messages of the platform"
      columns={columns}
      rows={connection.messages}
      rowKey={({ message_id: id }) => id}
      empty={
        <EmptyState
          title="No message yet"
          text="Enter the address above at your platform as a webhook of these topics, then make a test order."
        />
      }
    />
  </Card>
);
