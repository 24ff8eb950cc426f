import { Alert, Badge, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { type BeginTotpAnswer, beginTotp, confirmTotp, removeTotp } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { useSession } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { useConfirm, usePasswordAgain } from "../ui/confirm.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { QrCode } from "./qr-code.tsx";

/** A second factor: an app that shows a code every 30 seconds, and recovery codes for when it is lost. */
export function AuthenticatorCard() {
  const { me, refresh } = useSession();
  const again = usePasswordAgain();
  const confirm = useConfirm();
  const [begun, setBegun] = useState<BeginTotpAnswer | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { isSending, error, send } = useSending();
  const { totp, recovery_codes_left: left } = me.person;
  const begin = () => send(async () => setBegun(await again(() => beginTotp(personApi))));
  const end = () =>
    confirm({
      title: "Go on without the authenticator?",
      destroys:
        "Your authenticator and its recovery codes will no longer work. Signing in then asks for the password alone.",
      verb: "Remove the authenticator",
      run: async () => {
        await removeTotp(personApi);
        setCodes(null);
        await refresh();
      },
    });
  const done = async (newCodes: readonly string[]) => {
    setBegun(null);
    setCodes(newCodes);
    await refresh();
  };
  return (
    <Card
      title="Authenticator"
      text="A code of your phone's app, asked for at each sign-in."
      side={
        <Badge color={totp ? "leaf" : "gray"} variant="light">
          {totp ? "On" : "Off"}
        </Badge>
      }
    >
      <Stack>
        {error !== null && <ProblemNote error={error} />}
        {codes !== null && <RecoveryCodes codes={codes} />}
        {begun !== null && <FirstCode begun={begun} onDone={done} onCancel={() => setBegun(null)} />}
        {totp && codes === null && <Text size="sm">Recovery codes left: {left}</Text>}
        {begun === null && (
          <div>
            {totp ? (
              <Button variant="default" onClick={end}>
                Remove
              </Button>
            ) : (
              <Button variant="default" onClick={begin} loading={isSending}>
                Set up
              </Button>
            )}
          </div>
        )}
      </Stack>
    </Card>
  );
}

interface FirstCodeProps {
  begun: BeginTotpAnswer;
  onDone: (codes: readonly string[]) => Promise<void>;
  onCancel: () => void;
}

function FirstCode({ begun, onDone, onCancel }: FirstCodeProps) {
  const [code, setCode] = useState("");
  const { isSending, error, send } = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return send(async () => {
      const answer = await confirmTotp(personApi, { body: { code: code.trim() } });
      await onDone(answer.recovery_codes);
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          Scan this with your authenticator app, or type the secret into it. Then give the code it shows.
        </Text>
        <Group align="flex-start">
          <QrCode text={begun.uri} label="QR code for your authenticator app" />
          <Stack gap="xs" className="qs-wide">
            <Code className="qs-mono">{begun.secret}</Code>
            <div>
              <CopyButton value={begun.secret} label="Copy secret" />
            </div>
            <TextInput
              label="Code"
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              required
            />
          </Stack>
        </Group>
        {error !== null && <ProblemNote error={error} says={{ sign_in_failed: "The code is not right." }} />}
        <Group>
          <Button type="submit" loading={isSending}>
            Turn on
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <Alert title="Keep these recovery codes" color="orange" variant="light">
      <Stack gap="xs">
        <Text size="sm">Each signs you in once when your phone is lost. They are shown now and never again.</Text>
        <ul className="qs-codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div>
          <CopyButton value={codes.join("\n")} label="Copy codes" />
        </div>
      </Stack>
    </Alert>
  );
}
