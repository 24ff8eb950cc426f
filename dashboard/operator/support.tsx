import { Modal, Stack, Text, Textarea } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { beginSupport, type OperatedStore } from "../api/generated.ts";
import { withParams } from "../app/address.tsx";
import { personApi } from "../app/api.ts";
import { usePasswordAgain } from "../ui/confirm.ts";
import { useKeptForm } from "../ui/form.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";

interface SupportProps {
  store: OperatedStore;
  onClose: () => void;
  onBegun: () => Promise<void>;
}

/** Enters a store as support, for an hour, with a reason that its owners can read. */
export function Support({ store, onClose, onBegun }: SupportProps) {
  const navigate = useNavigate();
  const again = usePasswordAgain();
  const form = useKeptForm(`support ${store.id}`, { initialValues: { reason: "" } });
  const { isSending, error, send } = useSending();
  const begin = form.onSubmit(({ reason }) =>
    send(async () => {
      const begun = await again(() =>
        beginSupport(personApi, { path: { store_id: store.id }, body: { reason: reason.trim() } }),
      );
      if (begun === null) return;
      form.forget();
      await onBegun();
      await navigate({ to: "/", search: withParams({ store: store.id }) });
    }),
  );
  return (
    <Modal opened onClose={onClose} title="Sign in as support">
      <form onSubmit={begin}>
        <Stack>
          <Text size="sm">
            You act as an owner of <b className="qs-name">{store.name}</b> for an hour. Its audit log says so, with the
            reason, and marks each change that you make.
          </Text>
          {error !== null && <ProblemNote error={error} />}
          <Textarea
            label="Reason"
            name="reason"
            maxLength={500}
            required
            data-autofocus
            {...form.getInputProps("reason")}
          />
          <FormButtons cancel={onClose} verb="Sign in as support" isSending={isSending} />
        </Stack>
      </form>
    </Modal>
  );
}
