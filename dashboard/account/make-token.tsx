import { Button, Group, Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createToken, type NewPersonalToken } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { problemOf } from "../app/problems.ts";
import { useMe, useStoreOrNull } from "../app/session.ts";
import { expiryChoices, expiryOf } from "../developers/key-words.ts";
import { problemAt } from "../people/search-problems.ts";
import { usePasswordAgain } from "../ui/confirm.ts";
import { useKeptForm } from "../ui/form.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { ShownOnce } from "../ui/shown-once.tsx";

/** Makes a personal token, whose text is shown here, once; no press of Escape throws it away. */
export function MakeToken({ opened, close }: { opened: boolean; close: () => void }) {
  const [made, setMade] = useState<NewPersonalToken | null>(null);
  const isMade = made !== null;
  const done = () => {
    setMade(null);
    close();
  };
  return (
    <Modal
      opened={opened || isMade}
      onClose={done}
      title="New personal token"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!isMade}
      withCloseButton={!isMade}
    >
      {isMade ? <MadeToken made={made} close={done} /> : opened && <TokenForm onMade={setMade} close={done} />}
    </Modal>
  );
}

interface TokenValues {
  name: string;
  storeId: string;
  expiry: string;
}

/** One without an end would outlive what it was made for. */
const ends = expiryChoices.filter(({ value }) => value !== "never");

/** The token's text stays on the screen alone: neither a cache nor the kept form has it. */
function useMakeToken(onMade: (token: NewPersonalToken) => void) {
  const withPassword = usePasswordAgain();
  const queries = useQueryClient();
  return async ({ name, storeId, expiry }: TokenValues): Promise<boolean> => {
    const expires = expiryOf(expiry, Date.now());
    if (expires === null) throw new Error("a personal token has an end");
    const body = { name: name.trim(), store_id: storeId, expires_at: expires };
    const made = await withPassword(() => createToken(personApi, { body }));
    if (made === null) return false;
    onMade(made);
    void queries.invalidateQueries({ queryKey: ["my-tokens"] });
    return true;
  };
}

function TokenForm({ onMade, close }: { onMade: (token: NewPersonalToken) => void; close: () => void }) {
  const { stores } = useMe();
  // an operator may be looking at a store that is not theirs
  const looked = useStoreOrNull()?.id;
  const storeId = (stores.find(({ id }) => id === looked) ?? stores[0])?.id ?? "";
  const { values, setFieldValue, forget } = useKeptForm<TokenValues>("new token", {
    initialValues: { name: "", storeId, expiry: "90" },
  });
  const make = useMakeToken(onMade);
  const { isSending, error, send } = useSending();
  const errors = error === null ? [] : problemOf(error).errors;
  const isReady = values.name.trim() !== "";
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
          description="What uses it, such as Assistant on my laptop"
          required
          maxLength={200}
          data-autofocus
          dir="auto"
          value={values.name}
          error={problemAt(errors, "body.name")}
          onChange={(event) => setFieldValue("name", event.currentTarget.value)}
        />
        <NativeSelect
          label="Store"
          description="It has the rights that you have in that store, and none in any other"
          data={stores.map(({ id, name, role }) => ({ value: id, label: `${name} (${role})` }))}
          value={values.storeId}
          error={problemAt(errors, "body.store_id")}
          onChange={(event) => setFieldValue("storeId", event.currentTarget.value)}
        />
        <NativeSelect
          label="Expires"
          data={[...ends]}
          value={values.expiry}
          error={problemAt(errors, "body.expires_at")}
          onChange={(event) => setFieldValue("expiry", event.currentTarget.value)}
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
            Make the token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const MadeToken = ({ made, close }: { made: NewPersonalToken; close: () => void }) => (
  <ShownOnce
    what="token"
    warning={`Who has it can do in ${made.store.name} what you can: give it to a program that you trust, and to nobody.`}
    name={made.name}
    secret={made.token}
    example={{
      code: `QUIZSTORE_KEY=${made.token} npx quizstore mcp --url ${window.location.origin}`,
      label: "An assistant that starts a program",
    }}
    close={close}
  />
);
