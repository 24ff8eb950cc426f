import { Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { problemOf } from "../app/problems.ts";
import { problemAt } from "../people/search-problems.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";

interface MakeSecretProps<Made> {
  title: string;
  opened: boolean;
  close: () => void;
  form: (onMade: (made: Made) => void) => ReactNode;
  shown: (made: Made, done: () => void) => ReactNode;
}

/**
 * A dialog that creates a secret and shows its text, once. A secret that arrives after the form was closed is shown all
 * the same, and Escape does not discard it.
 */
export function MakeSecret<Made>({ title, opened, close, form, shown }: MakeSecretProps<Made>) {
  const [made, setMade] = useState<Made | null>(null);
  const isMade = made !== null;
  const done = () => {
    setMade(null);
    close();
  };
  return (
    <Modal
      opened={opened || isMade}
      onClose={done}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!isMade}
      withCloseButton={!isMade}
    >
      {isMade ? shown(made, done) : opened && form(setMade)}
    </Modal>
  );
}

type Errors = ReturnType<typeof problemOf>["errors"];

interface SecretFormProps {
  name: string;
  setName: (name: string) => void;
  /** examples of what uses it */
  nameHint: string;
  expiry: string;
  setExpiry: (expiry: string) => void;
  expiries: readonly { value: string; label: string }[];
  /** whether the caller's own fields are complete */
  isReady: boolean;
  verb: string;
  /** resolves to whether it was created; false if the password was required and not given */
  make: () => Promise<boolean>;
  /** discards what was typed */
  forget: () => void;
  close: () => void;
  /** the caller's own fields, before the expiry; `last` comes after it */
  children: (errors: Errors) => ReactNode;
  last?: ReactNode;
}

/** The fields that every secret for programs has: a name, an expiry, and the caller's own fields between them. */
export function SecretForm(props: SecretFormProps) {
  const { name, setName, nameHint, expiry, setExpiry, expiries, verb, make, forget, close, children, last } = props;
  const { isSending, error, send } = useSending();
  const errors = error === null ? [] : problemOf(error).errors;
  const isReady = name.trim() !== "" && props.isReady;
  const submit = () =>
    send(async () => {
      if (await make()) forget();
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
          description={nameHint}
          required
          maxLength={200}
          data-autofocus
          dir="auto"
          value={name}
          error={problemAt(errors, "body.name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {children(errors)}
        <NativeSelect
          label="Expires"
          data={[...expiries]}
          value={expiry}
          error={problemAt(errors, "body.expires_at")}
          onChange={(event) => setExpiry(event.currentTarget.value)}
        />
        {last}
        {error !== null && <ProblemNote error={error} />}
        <FormButtons
          cancel={() => {
            forget();
            close();
          }}
          verb={verb}
          isSending={isSending}
          isReady={isReady}
        />
      </Stack>
    </form>
  );
}
