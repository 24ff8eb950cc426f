import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { confirmMe } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { useSession } from "../app/session.ts";
import { PasswordInput } from "./password-input.tsx";
import { ProblemNote } from "./problem-note.tsx";

const wrong = { sign_in_failed: "That is not right." };

/** Asks for the password again before keys, secrets and erasure, if the last time was over ten minutes ago. */
export function PasswordDialog({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  const { me, refresh } = useSession();
  const { has_password: hasPassword, totp } = me.person;
  const [secret, setSecret] = useState("");
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setRunning(true);
    setError(null);
    try {
      await confirmMe(personApi, { body: hasPassword ? { password: secret } : { code: secret } });
      await refresh();
      return onAnswer(true);
    } catch (caught) {
      setError(caught);
    }
    setRunning(false);
  };
  return (
    <Modal opened onClose={() => onAnswer(false)} title="Please confirm that it is you" centered zIndex={300}>
      <form onSubmit={submit}>
        <Stack>
          {hasPassword && (
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
              data-autofocus
              required
            />
          )}
          {!hasPassword && totp && (
            <TextInput
              label="Code from your authenticator"
              inputMode="numeric"
              autoComplete="one-time-code"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
              data-autofocus
              required
            />
          )}
          {!hasPassword && !totp && (
            <Text>You have no password yet. Sign in again by a new link, or by your provider, and try once more.</Text>
          )}
          {error !== null && <ProblemNote error={error} says={wrong} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onAnswer(false)}>
              Cancel
            </Button>
            {(hasPassword || totp) && (
              <Button type="submit" loading={isRunning} disabled={secret === ""}>
                Confirm
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
