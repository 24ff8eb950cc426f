import { Alert, Button, Code, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Role } from "../../contract/roles.ts";
import { type CreatedInvitation, createInvitation } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { applyProblem, useKeptForm } from "../ui/form.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { roleNames, roleOptions, roleSentences } from "./role-names.ts";

interface Invited {
  email: string;
  role: Role;
}

export function InviteCard() {
  const api = useApi();
  const queries = useQueryClient();
  const { store } = useMember();
  const initialValues: Invited = { email: "", role: "analyst" };
  const form = useKeptForm<Invited>(`invite ${store.id}`, { initialValues });
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const { isSending, error, send } = useSending();
  const invite = form.onSubmit((values) =>
    send(async () => {
      try {
        setMade(await createInvitation(api, { body: { ...values, email: values.email.trim() } }));
      } catch (caught) {
        if (applyProblem(form, caught)) return;
        throw caught;
      }
      form.setValues(initialValues);
      form.forget();
      await queries.invalidateQueries({ queryKey: ["invitations"] });
    }),
  );
  const { role } = form.getValues();
  return (
    <Card title="Invite somebody" text="They get a link that works once, for a week.">
      <Stack>
        {made !== null && <InvitedNote made={made} />}
        {error !== null && <ProblemNote error={error} />}
        <form onSubmit={invite}>
          <Group align="flex-start">
            <TextInput
              label="Email"
              type="email"
              name="invite-email"
              autoComplete="off"
              maxLength={254}
              className="qs-wide"
              required
              {...form.getInputProps("email")}
            />
            <Select label="Role" w="9rem" data={roleOptions} allowDeselect={false} {...form.getInputProps("role")} />
            <Button type="submit" loading={isSending} mt={25}>
              Invite
            </Button>
          </Group>
        </form>
        <Text size="sm" c="dimmed">
          {roleNames[role]}: {roleSentences[role]}
        </Text>
      </Stack>
    </Card>
  );
}

const InvitedNote = ({ made }: { made: CreatedInvitation }) => (
  <Alert title={made.mailed ? "The invitation is mailed" : "Give them this link"} variant="light" role="status">
    <Stack gap="xs">
      <Text size="sm">
        {made.mailed ? "The same link, in case the mail does not arrive" : "It is not mailed. The link"} for{" "}
        <b className="qs-name">{made.email}</b> is shown now and never again.
      </Text>
      <Code className="qs-mono">{made.url}</Code>
      <div>
        <CopyButton value={made.url} label="Copy link" />
      </div>
    </Stack>
  </Alert>
);
