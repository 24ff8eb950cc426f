import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createWebhook } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { usePasswordAgain } from "../ui/confirm.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { bodyOf, emptyEndpoint, type EndpointForm as Form } from "./webhook-words.ts";

export function AddEndpoint() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add an endpoint…</Button>
      <Modal opened={open} onClose={close} title="New endpoint" size="lg" closeOnClickOutside={false}>
        {open && <NewEndpoint close={close} />}
      </Modal>
    </>
  );
}

function NewEndpoint({ close }: { close: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const withPassword = usePasswordAgain();
  const { store } = useMember();
  const [added, setAdded] = useState<Awaited<ReturnType<typeof createWebhook>> | null>(null);
  const save = async (form: Form) => {
    const answer = await withPassword(() => createWebhook(api, { body: bodyOf(form) }));
    if (answer === null) return false;
    setAdded(answer);
    void queries.invalidateQueries({ queryKey: ["endpoints"] });
    return true;
  };
  if (added !== null) return <Added secret={added.secret} close={close} />;
  return (
    <EndpointForm
      name={`new endpoint ${store.id}`}
      initial={emptyEndpoint}
      verb="Add the endpoint"
      save={save}
      cancel={close}
    />
  );
}

/** No secret: the endpoint existed already. */
function Added({ secret, close }: { secret: string | undefined; close: () => void }) {
  return (
    <Stack gap="md">
      {secret === undefined ? (
        <Alert title="This endpoint is there already" role="status">
          An endpoint with this address and these settings exists: nothing was added.
        </Alert>
      ) : (
        <>
          <Text role="status">
            The endpoint was added. Its receiver verifies what it is sent with this signing secret, which can be shown
            again on the endpoint's page:
          </Text>
          <CodeBlock code={secret} label="The signing secret" />
        </>
      )}
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}
