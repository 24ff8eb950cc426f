import { Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Delivery, redeliver, redeliverFailed } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { notifyDone, notifyProblem } from "../ui/notify.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { canSendAgain } from "./webhook-words.ts";

export function SendAgain({ delivery }: { delivery: Delivery }) {
  const api = useApi();
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () => redeliver(api, { path: { endpoint_id: delivery.endpoint_id, delivery_id: delivery.id } }),
    onSuccess: () => {
      notifyDone("It is sent again.");
      return queries.invalidateQueries({ queryKey: ["deliveries"] });
    },
    onError: notifyProblem,
  });
  if (!canSendAgain(delivery)) return null;
  return (
    <Button loading={sending.isPending} onClick={() => sending.mutate()}>
      Send again
    </Button>
  );
}

const day = 86_400_000;

/** The value of a `datetime-local` field, which is in the browser's zone. */
export function localTime(moment: number): string {
  const at = new Date(moment);
  return new Date(moment - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Sends all deliveries again that failed for good since a moment. */
export function RedeliverFailed({ endpointId }: { endpointId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Send failed ones again…
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="Send failed deliveries again">
        {open && <RedeliverForm endpointId={endpointId} close={() => setOpen(false)} />}
      </Modal>
    </>
  );
}

function RedeliverForm({ endpointId, close }: { endpointId: string; close: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [since, setSince] = useState(() => localTime(Date.now() - day));
  const sending = useMutation({
    mutationFn: () =>
      redeliverFailed(api, { path: { endpoint_id: endpointId }, body: { since: new Date(since).toISOString() } }),
    onSuccess: ({ queued }) => {
      notifyDone(
        queued === 0
          ? "Nothing has failed since then."
          : `${queued} ${queued === 1 ? "delivery is" : "deliveries are"} sent again.`,
      );
      close();
      return queries.invalidateQueries({ queryKey: ["deliveries"] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (since !== "") sending.mutate();
      }}
    >
      <Stack gap="md">
        <Text size="sm">Every delivery that was given up is tried again, with the whole schedule before it.</Text>
        <TextInput
          type="datetime-local"
          label="Created since (your time)"
          required
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        {sending.isError && <ProblemNote error={sending.error} />}
        <FormButtons cancel={close} verb="Send again" isSending={sending.isPending} isReady={since !== ""} />
      </Stack>
    </form>
  );
}
