import { Button, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { revealSecret, rotateSecret, type WebhookEndpoint } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { useConfirm, usePasswordAgain } from "../ui/confirm.ts";
import { notifyProblem } from "../ui/notify.ts";
import { When } from "../ui/when.tsx";

/**
 * The signing secret: shown on request; after a rotation the old one stays valid for a day
 * [dashboard-developers.secret].
 */
export function EndpointSecret({ endpoint }: { endpoint: WebhookEndpoint }) {
  const api = useApi();
  const withPassword = usePasswordAgain();
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useRotate(endpoint, setSecret);
  const path = { endpoint_id: endpoint.id };
  const reveal = async () => {
    try {
      const answer = await withPassword(() => revealSecret(api, { path }));
      if (answer !== null) setSecret(answer.secret);
    } catch (error) {
      notifyProblem(error);
    }
  };
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Text fw={500}>Signing secret</Text>
        {secret === null ? (
          <Button size="compact-sm" variant="default" onClick={() => void reveal()}>
            Show
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => setSecret(null)}>
            Hide
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => void rotate()}>
          Rotate…
        </Button>
      </Group>
      {secret !== null && <CodeBlock code={secret} label="The signing secret" />}
      {endpoint.previous_secret_expires_at !== null && (
        <Text size="sm" c="dimmed">
          The secret before this one signs along until <When at={endpoint.previous_secret_expires_at} />.
        </Text>
      )}
    </Stack>
  );
}

function useRotate(endpoint: WebhookEndpoint, show: (secret: string) => void) {
  const api = useApi();
  const confirm = useConfirm();
  const withPassword = usePasswordAgain();
  const queries = useQueryClient();
  return async () => {
    const answer = await confirm({
      title: "Make a new signing secret?",
      verb: "Make a new secret",
      destroys: (
        <Text>
          Receivers have 24 hours to change: until then events carry signatures of both secrets.
          {endpoint.previous_secret_expires_at !== null && " The secret before the present one ends at once."}
        </Text>
      ),
      run: () => withPassword(() => rotateSecret(api, { path: { endpoint_id: endpoint.id } })),
    });
    if (answer === null) return;
    show(answer.secret);
    await queries.invalidateQueries({ queryKey: ["endpoints"] });
  };
}
