import { Button, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { setPassword } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { useSession } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { usePasswordAgain } from "../ui/confirm.ts";
import { notifyDone } from "../ui/notify.ts";
import { PasswordInput } from "../ui/password-input.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";

export function PasswordCard() {
  const { me, refresh } = useSession();
  const again = usePasswordAgain();
  const [password, setText] = useState("");
  const { isSending, error, send } = useSending();
  const save = (event: FormEvent) => {
    event.preventDefault();
    return send(async () => {
      const saved = await again(() => setPassword(personApi, { body: { password } }));
      if (saved === null) return;
      setText("");
      await refresh();
      notifyDone("Your password is set; every other session and every personal token has ended");
    });
  };
  return (
    <Card
      title="Password"
      text={
        me.person.has_password
          ? "A new one signs you out everywhere else, and ends your personal tokens."
          : "You have none yet, and sign in by links."
      }
    >
      <form onSubmit={save}>
        <Stack>
          {error !== null && <ProblemNote error={error} />}
          {/* tells password managers whose password it is */}
          <input type="text" name="username" autoComplete="username" value={me.person.email} readOnly hidden />
          <PasswordInput
            label="New password"
            description="At least 12 characters"
            name="new-password"
            autoComplete="new-password"
            minLength={12}
            maxLength={200}
            value={password}
            onChange={(event) => setText(event.currentTarget.value)}
            required
          />
          <div>
            <Button type="submit" loading={isSending}>
              {me.person.has_password ? "Change password" : "Set password"}
            </Button>
          </div>
        </Stack>
      </form>
    </Card>
  );
}
