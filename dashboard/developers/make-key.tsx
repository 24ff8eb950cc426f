import { Button, Checkbox, Group, Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { defaultScopes, type Scope } from "../../contract/scopes.ts";
import { createKey, type NewApiKey } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { problemOf } from "../app/problems.ts";
import { useMember } from "../app/session.ts";
import { problemAt } from "../people/search-problems.ts";
import { usePasswordAgain } from "../ui/confirm.ts";
import { useKeptForm } from "../ui/form.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { ShownOnce } from "../ui/shown-once.tsx";
import { expiryChoices, expiryOf, scopeChoices, testKeyWords } from "./key-words.ts";

/**
 * Makes a key: its text is shown here, once [dashboard-developers.key-once]. One that comes after the form was closed
 * is shown all the same, and no press of Escape throws it away.
 */
export function MakeKey({ opened, close }: { opened: boolean; close: () => void }) {
  const [made, setMade] = useState<NewApiKey | null>(null);
  const isMade = made !== null;
  const done = () => {
    setMade(null);
    close();
  };
  return (
    <Modal
      opened={opened || isMade}
      onClose={done}
      title="New API key"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!isMade}
      withCloseButton={!isMade}
    >
      {isMade ? <MadeKey made={made} close={done} /> : opened && <KeyForm onMade={setMade} close={done} />}
    </Modal>
  );
}

interface KeyValues {
  name: string;
  scopes: Scope[];
  expiry: string;
  test: boolean;
}

/** The key's text stays on the screen alone: neither a cache nor the kept form has it. */
function useMakeKey(onMade: (key: NewApiKey) => void) {
  const api = useApi();
  const withPassword = usePasswordAgain();
  const queries = useQueryClient();
  return async ({ name, scopes, expiry, test }: KeyValues): Promise<boolean> => {
    const body = { name: name.trim(), scopes, expires_at: expiryOf(expiry, Date.now()), test };
    const made = await withPassword(() => createKey(api, { body }));
    if (made === null) return false;
    onMade(made);
    void queries.invalidateQueries({ queryKey: ["keys"] });
    return true;
  };
}

function KeyForm({ onMade, close }: { onMade: (key: NewApiKey) => void; close: () => void }) {
  const { store } = useMember();
  const initialValues: KeyValues = { name: "", scopes: [...defaultScopes], expiry: "90", test: false };
  const { values, setFieldValue, forget } = useKeptForm<KeyValues>(`new key ${store.id}`, { initialValues });
  const make = useMakeKey(onMade);
  const { isSending, error, send } = useSending();
  const errors = error === null ? [] : problemOf(error).errors;
  const isReady = values.name.trim() !== "" && values.scopes.length > 0;
  const submit = () =>
    send(async () => {
      if (await make(values)) forget();
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void submit();
      }}
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          description="What uses it, such as Warehouse or Newsletter"
          required
          maxLength={200}
          data-autofocus
          dir="auto"
          value={values.name}
          error={problemAt(errors, "body.name")}
          onChange={(event) => setFieldValue("name", event.currentTarget.value)}
        />
        <Checkbox.Group
          label="What it may do"
          value={values.scopes}
          error={values.scopes.length === 0 ? "Choose at least one" : problemAt(errors, "body.scopes")}
          onChange={(scopes) => setFieldValue("scopes", scopes as Scope[])}
        >
          <Stack gap="xs" mt="xs">
            {scopeChoices.map(({ scope, description }) => (
              <Checkbox key={scope} value={scope} label={scope} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label="Expires"
          data={[...expiryChoices]}
          value={values.expiry}
          error={problemAt(errors, "body.expires_at")}
          onChange={(event) => setFieldValue("expiry", event.currentTarget.value)}
        />
        <Checkbox
          label="Test key"
          description={testKeyWords}
          checked={values.test}
          onChange={(event) => setFieldValue("test", event.currentTarget.checked)}
        />
        {error !== null && <ProblemNote error={error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              forget();
              close();
            }}
          >
            Cancel
          </Button>
          <Button type="submit" loading={isSending} disabled={!isReady}>
            Make the key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const MadeKey = ({ made, close }: { made: NewApiKey; close: () => void }) => (
  <ShownOnce
    what="key"
    warning="Who has it can do what it may: keep it where programs keep their secrets."
    name={made.name}
    secret={made.key}
    example={{
      // the test store's own answer names its publishable key [dashboard-developers.test-keys]
      code: `curl -H "Authorization: Bearer ${made.key}" ${window.location.origin}/v1/${made.test ? "test/clock" : "store"}`,
      label: "A first call with it",
    }}
    close={close}
  />
);
