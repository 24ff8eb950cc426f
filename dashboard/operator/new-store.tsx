import { Alert, Autocomplete, Button, Code, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type CreateStoreInput, createStore, type NewStore as MadeStore } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { usePasswordAgain } from "../ui/confirm.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { applyProblem, useKeptForm } from "../ui/form.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { planOptions } from "./plan-names.ts";

type Values = NonNullable<CreateStoreInput["body"]>;

const initialValues: Values = { name: "", shop_domain: "", plan: "plus", timezone: "UTC", currency: "USD" };

export function NewStore({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<MadeStore | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={made === null ? "New store" : "The store is made"}
      // the secret is shown once: a stray click must not close it
      closeOnClickOutside={made === null}
      closeOnEscape={made === null}
    >
      {made === null ? <NewStoreForm onMade={setMade} /> : <Made made={made} onClose={onClose} />}
    </Modal>
  );
}

function NewStoreForm({ onMade }: { onMade: (made: MadeStore) => void }) {
  const queries = useQueryClient();
  const form = useKeptForm<Values>("new store", { initialValues });
  const { isSending, error, send } = useSending();
  const again = usePasswordAgain();
  const make = form.onSubmit((values) =>
    send(async () => {
      try {
        const body = {
          ...values,
          name: values.name.trim(),
          shop_domain: values.shop_domain.trim(),
          currency: values.currency.trim().toUpperCase(),
        };
        // the response shows a secret, so the API may ask for the password first
        const made = await again(() => createStore(personApi, { body }));
        if (made === null) return;
        form.forget();
        await queries.invalidateQueries({ queryKey: ["operated"] });
        onMade(made);
      } catch (caught) {
        if (!applyProblem(form, caught)) throw caught;
      }
    }),
  );
  return (
    <form onSubmit={make}>
      <Stack>
        {error !== null && <ProblemNote error={error} />}
        <TextInput label="Name" name="name" maxLength={200} required data-autofocus {...form.getInputProps("name")} />
        <TextInput
          label="Domain of the shop"
          description="As its platform knows it, such as my-shop.myshopify.com"
          name="shop_domain"
          maxLength={253}
          required
          {...form.getInputProps("shop_domain")}
        />
        <Group grow align="flex-start">
          <Select label="Plan" data={planOptions} allowDeselect={false} {...form.getInputProps("plan")} />
          <TextInput
            label="Currency"
            name="currency"
            minLength={3}
            maxLength={3}
            required
            {...form.getInputProps("currency")}
          />
        </Group>
        <Autocomplete
          label="Time zone"
          name="timezone"
          data={Intl.supportedValuesOf("timeZone")}
          limit={50}
          required
          {...form.getInputProps("timezone")}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            Make the store
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const Made = ({ made, onClose }: { made: MadeStore; onClose: () => void }) => (
  <Stack>
    <Alert title="Its commerce secret, shown now and never again" color="orange" variant="light">
      <Stack gap="xs">
        <Code className="qs-mono">{made.commerce_secret}</Code>
        <div>
          <CopyButton value={made.commerce_secret} label="Copy secret" />
        </div>
      </Stack>
    </Alert>
    <div>
      Invite its owner from the command line: <Code className="qs-mono">{inviteCommand(made.id)}</Code>
    </div>
    <Group justify="flex-end">
      <Button onClick={onClose}>Done</Button>
    </Group>
  </Stack>
);

const inviteCommand = (id: string): string => `quizstore user invite EMAIL --store ${id} --role owner`;
